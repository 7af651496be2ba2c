// The documents, held to the program and to each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "config/keys.h"
#include "tidy/source_files.h"

namespace baton::test {
namespace {

namespace fs = std::filesystem;
std::size_t times(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

/// What the program itself offers after these words: its verbs, or a verb's options.
std::vector<std::string> offered(const std::string& words) {
  std::vector<std::string> found;
  FILE* pipe = ::popen(("'" + program_of_ours("baton") + "' __complete " + words).c_str(), "r");
  std::array<char, 4096> buffer{};
  while (pipe != nullptr && std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) {
    const std::string line{buffer.data()};
    if (line.front() != ':') found.push_back(line.substr(0, line.find_first_of("\t\n")));
  }
  EXPECT_EQ(::pclose(pipe), 0) << words;
  return found;
}

/// The manual page as it is read, without roff's own marks.
std::string manual() {
  std::string text = read(source / "docs/man/baton.1");
  text = std::regex_replace(text, std::regex{R"(\\-)"}, "-");
  return std::regex_replace(text, std::regex{R"(\\f[A-Z])"}, "");
}

bool has_word(const std::string& text, const std::string& word) {
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const auto is_part = [](char c) {
      return (std::isalnum(static_cast<unsigned char>(c)) != 0) || c == '-' || c == '_';
    };
    const bool begins = at == 0 || !is_part(text[at - 1]);
    const bool ends = at + word.size() == text.size() || !is_part(text[at + word.size()]);
    if (begins && ends) return true;
  }
  return false;
}

TEST(Documents, EveryVerbAndOptionIsInTheManual) {
  const std::string text = manual();
  const std::string running = read(source / "docs/running.md");
  const std::vector<std::string> verbs = offered("''");
  EXPECT_GT(verbs.size(), 20U);
  for (const std::string& verb : verbs) {
    EXPECT_TRUE(std::regex_search(text, std::regex{R"(\.TP\n\.B[IR]? )" + verb + R"(\b)"}))
        << verb << " is not among the verbs of docs/man/baton.1";
    EXPECT_TRUE(std::regex_search(running, std::regex{"`" + verb + "[ `]"})) << verb << " is not in docs/running.md";
    const std::vector<std::string> options = offered(verb + " -");
    EXPECT_GT(options.size(), 4U) << verb;
    for (const std::string& option : options) {
      EXPECT_TRUE(has_word(text, option)) << option << " of " << verb << " is not in docs/man/baton.1";
    }
  }
}

TEST(Documents, EverySettingIsExplained) {
  const std::string text = read(source / "docs/configuration.md");
  for (const baton::KeySpec& key : baton::known_keys()) {
    const std::string name = std::regex_replace(std::string{key.pattern}, std::regex{R"(\*)"}, "NAME");
    EXPECT_EQ(times(text, "| `" + name + "` |"), 1U) << name << " needs a row of its own in docs/configuration.md";
  }
}

TEST(Documents, EveryErrorPageIsListedOnce) {
  const std::string list = read(source / "docs/errors/README.md");
  std::size_t pages = 0;
  for (const auto& entry : fs::directory_iterator{source / "docs/errors"}) {
    const std::string name = entry.path().stem().string();
    if (name == "README") continue;
    ++pages;
    EXPECT_EQ(times(list, "| [`" + name + "`](" + name + ".md) |"), 1U) << name;
    EXPECT_TRUE(read(entry.path()).starts_with("# " + name + "\n")) << name;
  }
  EXPECT_EQ(times(list, "| [`"), pages) << "a page is listed that is not there";
}

TEST(Documents, DecisionsAreNumberedAndListed) {
  const std::string list = read(source / "docs/decisions/README.md");
  std::set<int> numbers;
  for (const auto& entry : fs::directory_iterator{source / "docs/decisions"}) {
    const std::string name = entry.path().filename().string();
    if (name == "README.md") continue;
    const int number = std::stoi(name.substr(0, 4));
    EXPECT_TRUE(numbers.insert(number).second) << number << " is there twice";
    EXPECT_EQ(times(list, "](" + name + ")"), 1U) << name;
    EXPECT_TRUE(read(entry.path()).starts_with("# " + std::to_string(number) + ". ")) << name;
    EXPECT_NE(list.find("\n" + std::to_string(number) + ". ["), std::string::npos) << name;
  }
  ASSERT_FALSE(numbers.empty());
  EXPECT_EQ(*numbers.rbegin(), static_cast<int>(numbers.size())) << "a number is left out";
}

TEST(Documents, LinksLeadSomewhere) {
  const std::regex link{R"(\]\(([^)#:\s]+)(#[^)]*)?\))"};
  std::size_t links = 0;
  for (const auto& entry : fs::recursive_directory_iterator{source}) {
    const std::string shown = fs::relative(entry.path(), source).string();
    if (entry.path().extension() != ".md" || shown.starts_with("build") || shown.starts_with(".git/")) continue;
    const std::string text = read(entry.path());
    for (std::sregex_iterator it{text.begin(), text.end(), link}, end; it != end; ++it) {
      EXPECT_TRUE(fs::exists(entry.path().parent_path() / (*it)[1].str())) << shown << " links to " << (*it)[1].str();
      ++links;
    }
  }
  EXPECT_GT(links, 200U);
}

/// Whoever reads the source finds pages by their names too.
TEST(Documents, PagesNamedInTheSourceAreThere) {
  const std::regex page{R"(docs/[a-z/0-9-]+\.md)"};
  for (const auto& entry : fs::recursive_directory_iterator{source / "src"}) {
    if (!entry.is_regular_file()) continue;
    const std::string text = read(entry.path());
    for (std::sregex_iterator it{text.begin(), text.end(), page}, end; it != end; ++it) {
      EXPECT_TRUE(fs::exists(source / it->str())) << entry.path() << " names " << it->str();
    }
  }
}

}  // namespace
}  // namespace baton::test

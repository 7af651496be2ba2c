// The rules of the house, as tests: a rule that no machine checks is a wish.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "support/places.h"
#include "tidy/source_files.h"

namespace baton::test {
namespace {

namespace fs = std::filesystem;
std::vector<fs::path> files_below(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator{source / folder}) {
    const std::string extension = entry.path().extension().string();
    if (entry.is_regular_file() && (extension == ".cc" || extension == ".h")) files.push_back(entry.path());
  }
  EXPECT_FALSE(files.empty()) << folder;
  return files;
}

std::string shown(const fs::path& path) { return fs::relative(path, source).string(); }

std::size_t lines_of(const std::string& text) { return static_cast<std::size_t>(std::ranges::count(text, '\n')); }

const std::vector<std::string> pure_folders = {"base",   "text",  "plan",   "core",    "dialect", "price",
                                               "safety", "skill", "prompt", "runtime", "view"};

/// Files of a pure folder that look at the disk, and say so in their first line.
const std::set<std::string> impure_files = {"src/skill/registry.cc"};

TEST(Tidy, ThePurePartHasNoIoNoClockNoChance) {
  const std::regex forbidden{
      R"(#include <(unistd\.h|fcntl\.h|sys/(?!types)[a-z]+\.h|fstream|filesystem|iostream|random|thread|mutex|ctime|time\.h|spawn\.h|signal\.h|csignal|sqlite3\.h|boost/asio[^>]*)>|::now\(|getenv|std::system\()"};
  for (const std::string& folder : pure_folders) {
    for (const fs::path& file : files_below("src/" + folder)) {
      if (impure_files.contains(shown(file))) continue;
      const std::string text = read(file);
      std::smatch found;
      EXPECT_FALSE(std::regex_search(text, found, forbidden)) << shown(file) << " has " << found.str();
    }
  }
}

/// They take seconds to compile: one header of ours includes each.
TEST(Tidy, HeavyHeadersHaveOnePlace) {
  const std::map<std::string, std::regex> heavy = {
      {"src/base/boost_json.h", std::regex{R"(\n#include <boost/json(\.hpp|/(?!fwd|basic_parser)))"}},
      {"src/base/boost_json_parser.h", std::regex{R"(\n#include <boost/json/basic_parser)"}},
      {"src/host/asio.h", std::regex{R"(\n#include <boost/asio)"}},
      {"src/cli/cli11.h", std::regex{R"(\n#include <CLI/)"}},
  };
  for (const char* top : {"src", "tests", "bench"}) {
    for (const fs::path& file : files_below(top)) {
      const std::string text = read(file);
      for (const auto& [place, library] : heavy) {
        EXPECT_EQ(std::regex_search(text, library), shown(file) == place)
            << shown(file) << " includes what " << place << " is for";
      }
    }
  }
}

TEST(Tidy, HeavyHeadersStayInSourceFiles) {
  const std::regex include{R"re(#include "([\w/]+\.h)")re"};
  std::set<std::string> heavy = {"base/boost_json.h", "base/boost_json_parser.h", "host/asio.h", "cli/cli11.h"};
  std::map<std::string, std::set<std::string>> included_by;  // headers only
  for (const fs::path& file : files_below("src")) {
    if (file.extension() != ".h") continue;
    const std::string name = fs::relative(file, source / "src").string();
    const std::string text = read(file);
    for (std::sregex_iterator it{text.begin(), text.end(), include}, end; it != end; ++it) {
      included_by[(*it)[1]].insert(name);
    }
  }
  for (const std::string& place : std::set{heavy}) {
    for (const std::string& name : included_by[place]) {
      EXPECT_TRUE(read(source / "src" / name).find("For source files only") < 400) << name << " brings " << place;
      heavy.insert(name);
    }
  }
  for (const std::string& name : heavy) {
    for (const std::string& other : included_by[name]) {
      EXPECT_TRUE(heavy.contains(other)) << other << " brings a heavy header with " << name;
    }
  }
}

/// A path of the machine would make a second clone compile everything anew.
TEST(Tidy, NoProgramHoldsAPathOfTheMachine) {
  for (const std::string& file :
       {program_of_ours("baton"), program_of_ours("baton-holder"), program_of_ours("baton-courier"),
        build_folder() + "/tests/unit_core", std::string{"/proc/self/exe"}}) {
    if (!fs::exists(file)) continue;  // of the tests just what is looked at may be built
    const std::string bytes = read(file);
    EXPECT_GT(bytes.size(), 100'000U) << file;
    for (const std::string& folder : {source_folder() + "/src", source_folder() + "/tests", build_folder() + "/"}) {
      EXPECT_EQ(bytes.find(folder), std::string::npos) << folder << " in " << file;
    }
  }
}

TEST(Tidy, FilesAreSmall) {
  constexpr std::size_t source_lines_max = 600;
  constexpr std::size_t test_lines_max = 900;
  for (const fs::path& file : files_below("src")) EXPECT_LE(lines_of(read(file)), source_lines_max) << shown(file);
  for (const fs::path& file : files_below("tests")) EXPECT_LE(lines_of(read(file)), test_lines_max) << shown(file);
}

/// Top-level bodies: from a line that begins at the margin and ends with '{' to the '}' at the margin.
TEST(Tidy, FunctionsAreSmall) {
  constexpr std::size_t function_lines_max = 70;
  for (const fs::path& file : files_below("src")) {
    std::istringstream text{read(file)};
    std::string line;
    std::string opened;
    std::size_t number = 0;
    std::size_t opened_at = 0;
    while (std::getline(text, line)) {
      ++number;
      const bool margin = !line.empty() && line[0] != ' ' && line[0] != '#' && line[0] != '/';
      const bool body = margin && line.ends_with('{') && line.find("namespace") == std::string::npos &&
                        line.find("class ") != 0 && line.find("struct ") != 0 && line.find(')') != std::string::npos;
      if (body) {
        opened = line;
        opened_at = number;
      }
      if (line == "}" && opened_at > 0) {
        EXPECT_LE(number - opened_at, function_lines_max) << shown(file) << ":" << opened_at << " " << opened;
        opened_at = 0;
      }
    }
  }
}

TEST(Tidy, TheHolderStaysSmallAndKnowsNoEngine) {
  std::size_t lines = 0;
  for (const fs::path& file : files_below("src/holder")) {
    if (file.extension() != ".cc") continue;
    std::istringstream text{read(file)};
    std::string line;
    while (std::getline(text, line)) {
      const auto first = line.find_first_not_of(' ');
      if (first != std::string::npos && line.compare(first, 2, "//") != 0) ++lines;
    }
  }
  EXPECT_LT(lines, 970U) << "lines of code in the sources of src/holder";
}

TEST(Tidy, NothingIsLeftToDoWithoutSayingWhere) {
  const std::regex open_ends{R"(\b(TODO|FIXME|XXX|HACK)\b)"};
  for (const fs::path& file : files_below("src")) {
    EXPECT_FALSE(std::regex_search(read(file), open_ends)) << shown(file);
  }
}

/// Codes are what stands as the first text of a Fault or a Failure.
std::set<std::string> codes_in_source() {
  const std::regex code{
      R"re((?:fault\(|Fault\{|Failure\{|Fault bad_input\([^)]*\) \{ return \{|faults?\.push_back\(\{|report\(|return \{|add\(|error\(|warn\(|refuse\(|put\()\s*"([a-z]+(?:-[a-z0-9]+)+)")re"};
  std::set<std::string> codes;
  for (const fs::path& file : files_below("src")) {
    const std::string text = read(file);
    for (std::sregex_iterator it{text.begin(), text.end(), code}, end; it != end; ++it) codes.insert((*it)[1].str());
  }
  return codes;
}

TEST(Tidy, EveryCodeHasItsPage) {
  const std::set<std::string> codes = codes_in_source();
  EXPECT_GT(codes.size(), 40U) << "the pattern that finds codes has gone blind";
  for (const std::string& code : codes) {
    EXPECT_TRUE(fs::exists(source / "docs/errors" / (code + ".md"))) << "docs/errors/" << code << ".md is missing";
  }
}

TEST(Tidy, TheReadmeIsShortAndShowsBothCommands) {
  const std::string text = read(source / "README.md");
  EXPECT_LT(lines_of(text), 120U);
  EXPECT_NE(text.find("./dev demo"), std::string::npos);
  EXPECT_NE(text.find("./dev test"), std::string::npos);
}

/// The functions that stand in unnamed namespaces of a file.
std::set<std::string> helpers_of(const std::string& text) {
  const std::regex function{
      R"re(\n(?!return|using|class|struct|enum|TEST|INSTANTIATE|void PrintTo)[A-Za-z_][\w:<>,&* ]*?[ &*](\w+)\([^;]*?\) (?:const )?\{)re"};
  std::set<std::string> names;
  for (std::size_t begin = text.find("\nnamespace {\n"); begin != std::string::npos;
       begin = text.find("\nnamespace {\n", begin + 1)) {
    const std::string part = text.substr(begin, text.find("\n}  // namespace\n", begin) - begin);
    for (std::sregex_iterator it{part.begin(), part.end(), function}, end; it != end; ++it) names.insert((*it)[1]);
  }
  return names;
}

/// They are compiled as one (docs/decisions/0025), where one of two would quietly be taken for the other.
TEST(Tidy, HelpersOfOneFolderHaveNamesThatDiffer) {
  std::map<std::string, std::map<std::string, fs::path>> seen;  // by folder, by name
  std::size_t helpers = 0;
  for (const char* top : {"src", "tests"}) {
    for (const fs::path& file : files_below(top)) {
      if (file.extension() != ".cc" || file.string().find("/fuzz/") != std::string::npos) continue;
      for (const std::string& name : helpers_of(read(file))) {
        ++helpers;
        const auto [first, is_new] = seen[file.parent_path().string()].emplace(name, file);
        EXPECT_TRUE(is_new) << name << " stands in " << first->second << " and in " << file;
      }
    }
  }
  EXPECT_GT(helpers, 1000U) << "the pattern that finds helpers has gone blind";
}

/// `Suite.Name` of every test there is.
std::set<std::string> names_of_tests() {
  const std::regex test{R"re(TEST(?:_F|_P)?\((\w+),\s*(\w+)\))re"};
  std::set<std::string> names;
  for (const fs::path& file : files_below("tests")) {
    const std::string text = read(file);
    for (std::sregex_iterator it{text.begin(), text.end(), test}, end; it != end; ++it) {
      names.insert((*it)[1].str() + "." + (*it)[2].str());
    }
  }
  return names;
}

/// docs/checklist.md names the tests of every row; each of them is there.
TEST(Tidy, EveryRowOfTheChecklistIsATest) {
  const std::set<std::string> tests = names_of_tests();
  const std::string list = read(source / "docs/checklist.md");
  const std::regex row{R"re(\n\| (\d+) \|[^|]*\|([^|\n]*)\|)re"};
  const std::regex name{R"re(`(\w+\.\w+)`)re"};
  std::set<int> rows;
  for (std::sregex_iterator it{list.begin(), list.end(), row}, end; it != end; ++it) {
    const std::string named = (*it)[2];
    std::size_t count = 0;
    for (std::sregex_iterator test{named.begin(), named.end(), name}; test != end; ++test, ++count) {
      EXPECT_TRUE(tests.contains((*test)[1])) << "row " << (*it)[1] << ": there is no test " << test->str();
    }
    EXPECT_GT(count, 0U) << "row " << (*it)[1];
    rows.insert(std::stoi((*it)[1]));
  }
  EXPECT_EQ(rows.size(), 48U);
}

}  // namespace
}  // namespace baton::test

// The rooms of the house: what each may know (src/walls.txt), and the counts that may only fall (ratchets.txt).
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/places.h"
#include "tidy/source_files.h"

namespace baton::test {
namespace {

namespace fs = std::filesystem;

/// The lines of a file of ours that are no comments.
std::vector<std::string> facts_of(const fs::path& path) {
  std::vector<std::string> lines;
  std::istringstream text{read(path)};
  for (std::string line; std::getline(text, line);) {
    if (!line.empty() && !line.starts_with('#')) lines.push_back(line);
  }
  EXPECT_FALSE(lines.empty()) << path;
  return lines;
}

struct Walls {
  std::vector<std::string> rooms;  ///< from the ground up
  std::map<std::string, std::set<std::string>> known_by;

  Walls() {
    for (const std::string& line : facts_of(source / "src/walls.txt")) {
      const std::string room = line.substr(0, line.find(':'));
      rooms.push_back(room);
      std::istringstream known{line.substr(room.size() + 1)};
      known_by[room];
      for (std::string other; known >> other;) known_by[room].insert(other);
    }
  }

  /// The room of a file, by its path below src or as an include names it; empty if it has none.
  [[nodiscard]] std::string room_of(const std::string& path) const {
    std::string found;
    for (const std::string& room : rooms) {
      if ((path == room || path.starts_with(room + "/")) && room.size() > found.size()) found = room;
    }
    return found;
  }
};

struct Inclusion {
  std::string file;  ///< below src
  std::string room;
  std::string included;
  std::string known;  ///< the room of that
};

std::vector<Inclusion> inclusions(const Walls& walls) {
  std::vector<Inclusion> all;
  const std::regex include{R"re(#include "([\w/]+\.h)")re"};
  for (const auto& entry : fs::recursive_directory_iterator{source / "src"}) {
    const std::string extension = entry.path().extension().string();
    if (!entry.is_regular_file() || (extension != ".cc" && extension != ".h")) continue;
    const std::string file = fs::relative(entry.path(), source / "src").string();
    const std::string text = read(entry.path());
    for (std::sregex_iterator it{text.begin(), text.end(), include}, end; it != end; ++it) {
      all.push_back({file, walls.room_of(file), (*it)[1], walls.room_of((*it)[1])});
    }
  }
  EXPECT_GT(all.size(), 2000U) << "the pattern that finds includes has gone blind";
  return all;
}

TEST(Walls, ARoomIncludesOnlyWhatItMayKnow) {
  const Walls walls;
  for (const Inclusion& i : inclusions(walls)) {
    EXPECT_FALSE(i.room.empty()) << i.file << " lies in no room of src/walls.txt";
    EXPECT_TRUE(i.known == i.room || walls.known_by.at(i.room).contains(i.known))
        << "src/" << i.file << " includes " << i.included << ", and " << i.room << " may not know '" << i.known << "'";
  }
}

/// So there is no circle, and the list can be read from above.
TEST(Walls, ARoomKnowsOnlyThoseAboveIt) {
  const Walls walls;
  std::set<std::string> above;
  for (const std::string& room : walls.rooms) {
    for (const std::string& known : walls.known_by.at(room)) {
      EXPECT_TRUE(above.contains(known)) << room << " knows " << known << ", which does not stand above it";
    }
    EXPECT_TRUE(above.insert(room).second) << room << " stands there twice";
  }
}

TEST(Walls, WhatARoomMayKnowItNeeds) {
  const Walls walls;
  std::map<std::string, std::set<std::string>> used;
  for (const Inclusion& i : inclusions(walls)) used[i.room].insert(i.known);
  for (const auto& [room, known] : walls.known_by) {
    EXPECT_TRUE(room == "baton" || !used[room].empty()) << "there is no file in " << room;
    for (const std::string& other : known) {
      EXPECT_TRUE(used[room].contains(other)) << room << " needs nothing of " << other << " any more";
    }
  }
}

TEST(Walls, TheArchitectureNamesEveryRoomOnce) {
  const std::string text = read(source / "ARCHITECTURE.md");
  const std::regex row{R"re(\n\| `([a-z/]+)` \|)re"};
  std::multiset<std::string> named;
  for (std::sregex_iterator it{text.begin(), text.end(), row}, end; it != end; ++it) named.insert((*it)[1]);
  const Walls walls;
  for (const std::string& room : walls.rooms) {
    if (room == "baton" || room.ends_with(".cc")) continue;
    EXPECT_EQ(named.count(room), 1U) << room << " needs one row in the table of ARCHITECTURE.md";
  }
  for (const std::string& room : named) EXPECT_TRUE(walls.known_by.contains(room)) << "there is no room " << room;
}

TEST(Walls, FilesThatTheArchitectureNamesAreThere) {
  const std::string text = read(source / "ARCHITECTURE.md");
  const std::regex file{R"re(`([a-z_/]+\.(?:cc|h))`)re"};
  std::size_t files = 0;
  for (std::sregex_iterator it{text.begin(), text.end(), file}, end; it != end; ++it, ++files) {
    EXPECT_TRUE(fs::exists(source / "src" / (*it)[1].str())) << "there is no " << it->str();
  }
  EXPECT_GT(files, 60U) << "the ways through the house are gone";
}

TEST(Ratchets, CountsOnlyFall) {
  FILE* pipe = ::popen(("'" + source_folder() + "/tools/figures.sh'").c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::map<std::string, long> now;
  std::array<char, 4096> line{};
  while (std::fgets(line.data(), line.size(), pipe) != nullptr) {
    std::istringstream words{line.data()};
    std::string name;
    words >> name;
    words >> now[name];
  }
  EXPECT_EQ(::pclose(pipe), 0);
  for (const std::string& ratchet : facts_of(source / "tests/tidy/ratchets.txt")) {
    std::istringstream words{ratchet};
    std::string name;
    long most = 0;
    words >> name >> most;
    ASSERT_TRUE(now.contains(name)) << "tools/figures.sh does not count " << name;
    EXPECT_GT(now[name], 0) << "the pattern that counts " << name << " has gone blind";
    EXPECT_LE(now[name], most) << name << " rose";
    EXPECT_GE(now[name], most) << name << " fell: 'tools/figures.sh --lower' writes that down";
  }
}

}  // namespace
}  // namespace baton::test

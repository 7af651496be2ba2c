#include "engine/shown_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace baton {
namespace {

namespace fs = std::filesystem;

TEST(ShownFiles, ALinkOutIsNamedAndNotRead) {
  const fs::path base = fs::path{testing::TempDir()} / "shown_file_test";
  fs::remove_all(base);
  fs::create_directories(base / "project/outputs");
  const auto write = [&](const char* path, const char* text) { std::ofstream{base / path} << text; };
  write("secret.txt", "secret");
  write("project/outputs/own.txt", "own");
  write("project2.txt", "neighbour");
  fs::create_symlink("own.txt", base / "project/outputs/inside.txt");
  fs::create_symlink("../../secret.txt", base / "project/outputs/out.txt");
  fs::create_symlink(base / "project2.txt", base / "project/outputs/near.txt");
  const auto read = [&](const std::string& name) {
    return read_shown((base / "project/outputs" / name).string(), {"", (base / "project").string()}, 100);
  };
  EXPECT_EQ(read("own.txt").text, "own");
  EXPECT_EQ(read("inside.txt").text, "own");
  EXPECT_EQ(read("out.txt").text, "");
  EXPECT_EQ(read("out.txt").outside, fs::canonical(base / "secret.txt").string());
  EXPECT_EQ(read("near.txt").text, "") << "a name that begins alike is no folder of ours";
  EXPECT_EQ(read("none.txt").outside, "");
  EXPECT_EQ(read_shown("", {"/"}, 10).text, "");
  fs::remove_all(base);
}

}  // namespace
}  // namespace baton

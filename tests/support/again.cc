#include "support/again.h"

#include <stdlib.h>

#include <array>
#include <cstdio>
#include <filesystem>

namespace baton::test {

std::string this_test_again() {
  const testing::TestInfo& info = *testing::UnitTest::GetInstance()->current_test_info();
  // Of several shards, just one would run it. Where this program is stands in the environment: no shell has to quote
  // it.
  return std::string{"env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX -u GTEST_SHARD_STATUS_FILE -u GTEST_OUTPUT "} +
         "\"$BATON_TEST_SELF\" --gtest_filter=" + info.test_suite_name() + "." + info.name();
}

testing::AssertionResult passes_again(const std::string& command) {
  ::setenv("BATON_TEST_SELF", std::filesystem::read_symlink("/proc/self/exe").c_str(), 1);
  FILE* pipe = ::popen(("{ " + command + "\n} 2>&1").c_str(), "r");
  if (pipe == nullptr) return testing::AssertionFailure() << "no shell";
  std::string said;
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) said.append(buffer.data(), n);
  const int ended = ::pclose(pipe);
  if (ended == 0 && said.find("[  PASSED  ] 1 test.") != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << command << "\nended with " << ended << ":\n" << said;
}

}  // namespace baton::test

#include "host/held_log.h"

#include <gtest/gtest.h>

namespace baton {
namespace {

ExitRecord some_record(int attempt) {
  return {.key = {"r", "a step", attempt},
          .pid = 42,
          .exit = std::nullopt,
          .signal = 9,
          .deadline = true,
          .stopped = false,
          .spawn_error = "50% of\nit: \x01 \xC3\xA4",
          .started = time_from_ms(1'000),
          .finished = time_from_ms(2'000)};
}

std::string exit_line(const ExitRecord& record) {
  Message fields = exit_fields(record);
  fields.insert(fields.begin(), "exit");
  return seal_line(fields);
}

std::string start_line(int attempt) { return seal_line({"start", "a step", std::to_string(attempt), "1000"}); }

TEST(HeldLog, KeepsEveryFieldOfARecord) {
  HeldLog log{"r", ""};
  const ExitRecord record = some_record(3);
  log.take(exit_line(record));
  const ExitRecord* const read = log.exit({"a step", 3});
  ASSERT_NE(read, nullptr);
  EXPECT_EQ(read->key, record.key);
  EXPECT_EQ(read->pid, 42);
  EXPECT_EQ(read->exit, std::nullopt);
  EXPECT_EQ(read->signal, 9);
  EXPECT_TRUE(read->deadline);
  EXPECT_FALSE(read->stopped);
  EXPECT_EQ(read->spawn_error, record.spawn_error);
  EXPECT_EQ(read->started, record.started);
  EXPECT_EQ(read->finished, record.finished);
}

TEST(HeldLog, TornAnywhereReadsAsAbsent) {
  const std::string whole = start_line(1) + exit_line(some_record(1));
  const std::size_t first = start_line(1).size();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    HeldLog log{"r", ""};
    log.take(whole.substr(0, size));
    EXPECT_EQ(log.started({"a step", 1}), size >= first) << size;
    EXPECT_EQ(log.exit({"a step", 1}), nullptr) << size;
    // What a later holder adds stands on a line of its own and counts.
    const bool torn = size > 0 && whole[size - 1] != '\n';
    log.take((torn ? "\n" : "") + start_line(2));
    EXPECT_TRUE(log.started({"a step", 2})) << size;
    const bool only_its_end_was_missing = size + 1 == whole.size();
    EXPECT_EQ(log.exit({"a step", 1}) != nullptr, only_its_end_was_missing) << size;
  }
}

TEST(HeldLog, DamagedAnywhereReadsAsAbsent) {
  const std::string line = exit_line(some_record(1));
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    std::string damaged = line;
    damaged[i] = static_cast<char>(damaged[i] ^ 4);
    HeldLog log{"r", ""};
    log.take(damaged + start_line(2));
    EXPECT_EQ(log.exit({"a step", 1}), nullptr) << i;
    EXPECT_TRUE(log.started({"a step", 2})) << i;
  }
}

TEST(HeldLog, ComesInPieces) {
  const std::string whole = start_line(1) + exit_line(some_record(1));
  HeldLog log{"r", ""};
  for (const char c : whole) log.take({&c, 1});
  EXPECT_NE(log.exit({"a step", 1}), nullptr);
}

TEST(Frame, CarriesAnyBytes) {
  const Message message{"verb", "", std::string("\0\n\xFF", 3), std::string(100'000, 'x')};
  const std::string bytes = encode_frame(message);
  const Decoded whole = decode_frame(bytes + "more");
  EXPECT_EQ(whole.kind, Decoded::Kind::whole);
  EXPECT_EQ(whole.size, bytes.size());
  EXPECT_EQ(whole.message, message);
  for (const std::size_t size : {std::size_t{0}, std::size_t{3}, std::size_t{4}, bytes.size() - 1}) {
    EXPECT_EQ(decode_frame(bytes.substr(0, size)).kind, Decoded::Kind::partial) << size;
  }
}

}  // namespace
}  // namespace baton

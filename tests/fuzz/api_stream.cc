#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "runtime/api/api_runtime.h"
#include "support/api_told.h"

namespace {

using namespace baton;

struct Outcome {
  std::string said;
  std::string output;
  std::string next;  ///< what it asks for then
  std::optional<Usage> spent;
  std::optional<Failure> failure;
  bool is_finished = false;

  bool operator==(const Outcome&) const = default;
};

/// Each piece in memory of its own size: a look beyond its end is seen.
Outcome play(const std::uint8_t* data, std::size_t size, std::size_t piece_max, const ApiSettings& settings) {
  static const Step step = {.id = "s", .needs = {}, .work = std::make_shared<Work>(), .policy = {}, .final = false};
  ApiRuntime runtime{settings};
  Assignment assignment;
  assignment.step = &step;
  assignment.prompt = "Go.";
  assignment.output_path = "/out.json";
  (void)runtime.begin(assignment);
  Outcome outcome;
  const auto take = [&](const Actions& actions) {
    for (const Action& action : actions) {
      if (const auto* say = std::get_if<Say>(&action)) outcome.said += say->text + "\n";
      if (const auto* spend = std::get_if<Spend>(&action)) outcome.spent = spend->usage;
      if (const auto* write = std::get_if<WriteOutput>(&action)) outcome.output = write->content;
      if (const auto* finish = std::get_if<Finish>(&action)) {
        outcome.failure = finish->failure;
        outcome.is_finished = true;
      }
      if (const auto* ask = std::get_if<Request>(&action)) outcome.next = ask->request.url + ask->request.body;
      if (const auto* use = std::get_if<UseTools>(&action)) outcome.next = use->uses;
    }
  };
  for (std::size_t at = 0; at < size;) {
    const std::size_t piece = std::min(piece_max, size - at);
    const auto copy = std::make_unique<char[]>(piece);
    std::memcpy(copy.get(), data + at, piece);
    take(runtime.next(Printed{{copy.get(), piece}}));
    at += piece;
  }
  Ended end;
  end.record.exit = 0;
  take(runtime.next(end));
  return outcome;
}

/// It is no better than what was told: no success without the marks of one, no cost above what was named.
bool is_true(const Outcome& outcome, const std::string& log, const ApiSettings& settings) {
  const bool is_success = outcome.is_finished && !outcome.failure;
  const test::ApiTold told = test::ApiToldReader{settings.protocol}.read(log);
  if (is_success && !told.is_unclear && !told.is_success) return false;
  const auto cost = outcome.spent ? outcome.spent->cost : std::nullopt;
  const bool is_escaped = log.find("\\u") != std::string::npos;  // a key, maybe
  return !cost || told.is_unclear || is_escaped || cost->nano_usd <= test::nano_most(log, "", !is_success);
}

}  // namespace

/// However the bytes are cut, the outcome is the same, and it is true. The first byte says how they are cut, the second
/// what they are taken for.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  ApiSettings settings;
  settings.model = "sonnet";
  if ((data[1] & 1U) != 0) settings.protocol = api::Protocol::chat;
  if ((data[1] & 2U) != 0) settings.tools = api::tool_words();
  if ((data[1] & 4U) != 0) settings.batch = settings.protocol == api::Protocol::messages;
  const std::size_t piece = 1 + data[0];
  // Without a head of its own it is a stream.
  std::string log{reinterpret_cast<const char*>(data) + 2, size - 2};
  if ((data[1] & 8U) == 0) log = "baton-http/1 200\ncontent-type: text/event-stream\n\n" + log;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(log.data());
  const Outcome whole = play(bytes, log.size(), log.size(), settings);
  if (!(whole == play(bytes, log.size(), piece, settings))) std::abort();
  if (!settings.batch && !is_true(whole, log, settings)) std::abort();
  return 0;
}

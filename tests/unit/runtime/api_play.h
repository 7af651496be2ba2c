// Responses of model APIs, played from bytes. Shared by the tests of their runtimes.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/api/api_runtime.h"
#include "runtime/api/response_reader.h"

namespace baton::api {

constexpr std::size_t whole = std::string::npos;

inline std::string log_of(int status, const Headers& headers, std::string_view body) {
  std::string text = "baton-http/1 " + std::to_string(status) + "\n";
  for (const auto& [name, value] : headers) text += name + ": " + value + "\n";
  return text + "\n" + std::string{body};
}

inline std::string stream_log(std::string_view events) {
  return log_of(200, {{"content-type", "text/event-stream"}, {"request-id", "req_1"}}, events);
}

inline std::string json_log(std::string_view body, int status = 200, Headers headers = {}) {
  headers.emplace_back("content-type", "application/json");
  headers.emplace_back("request-id", "req_1");
  return log_of(status, headers, body);
}

/// One event of the Messages API: the name is the type.
inline std::string message_event(const std::string& type, const std::string& members = {}) {
  return "event: " + type + "\ndata: {\"type\":\"" + type + "\"" + (members.empty() ? "" : "," + members) + "}\n\n";
}

inline std::string text_delta(const std::string& text, int index = 0) {
  return message_event("content_block_delta", "\"index\":" + std::to_string(index) +
                                                  R"(,"delta":{"type":"text_delta","text":")" + text + "\"}");
}

/// A whole stream that says `text`.
inline std::string message_stream(const std::string& text, const std::string& stop = "end_turn", int input = 10,
                                  int output = 5) {
  return message_event("message_start", R"("message":{"id":"msg_1","type":"message","role":"assistant","model":)"
                                        R"("claude-sonnet-5-5","content":[],"usage":{"input_tokens":)" +
                                            std::to_string(input) + R"(,"output_tokens":1}})") +
         message_event("content_block_start", R"("index":0,"content_block":{"type":"text","text":""})") +
         text_delta(text) + message_event("content_block_stop", R"("index":0)") +
         message_event("message_delta", R"("delta":{"stop_reason":")" + stop + R"("},"usage":{"output_tokens":)" +
                                            std::to_string(output) + "}") +
         message_event("message_stop");
}

inline std::string message_json(const std::string& content, const std::string& stop = "end_turn") {
  return R"({"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-5-5","content":)" + content +
         R"(,"stop_reason":")" + stop + R"(","usage":{"input_tokens":10,"output_tokens":5}})";
}

inline std::string chat_chunk(const std::string& choice, const std::string& members = {}) {
  return R"(data: {"id":"c1","object":"chat.completion.chunk","model":"gpt-5.6","choices":[)" + choice + "]" +
         (members.empty() ? "" : "," + members) + "}\n\n";
}

inline std::string chat_delta(const std::string& delta, const std::string& finish = {}) {
  return chat_chunk(R"({"index":0,"delta":)" + delta + R"(,"finish_reason":)" +
                    (finish.empty() ? "null" : "\"" + finish + "\"") + "}");
}

/// Each piece in memory of its own size, so that a look beyond its end is seen by AddressSanitizer.
template <class Take>
void in_pieces(std::string_view bytes, std::size_t piece_max, Take&& take) {
  while (!bytes.empty()) {
    const std::size_t size = std::min(bytes.size(), piece_max);
    const auto piece = std::make_unique<char[]>(size);
    std::copy_n(bytes.data(), size, piece.get());
    take(std::string_view{piece.get(), size});
    bytes.remove_prefix(size);
  }
}

struct ReadResponse {
  std::unique_ptr<ResponseReader> reader;
  std::string said;
};

inline ReadResponse read_response(Protocol protocol, std::string_view log, std::size_t piece_max = whole) {
  ReadResponse read{std::make_unique<ResponseReader>(protocol), {}};
  in_pieces(log, piece_max, [&](std::string_view piece) { read.said += read.reader->read(piece); });
  read.said += read.reader->end();
  return read;
}

inline Ended ended_well() {
  Ended end;
  end.record.pid = 1;
  end.record.exit = 0;
  end.record.finished = time_from_ms(1'700'000'100'000);
  return end;
}

inline Ended ended_by(const std::string& transfer, const std::string& message = {}) {
  Ended end = ended_well();
  end.record.exit = 1;
  end.last_error = R"({"transfer":")" + transfer + R"(","message":")" + message + R"(","bytes":0})";
  return end;
}

/// An attempt, and what it wanted last.
class Played {
 public:
  explicit Played(
      ApiSettings settings,
      Work work = {.skill = "writer", .mission = "Write.", .output = "out/a.md", .output_format = OutputFormat::text},
      PromptBlocks blocks = {.skill = "You write.", .references = {}, .context = {}, .task = "Write it."},
      std::vector<UnansweredAttempt> unanswered = {}, std::shared_ptr<KnownAnswers> known = nullptr)
      : step_{.id = "summary",
              .needs = {},
              .work = std::make_shared<Work>(std::move(work)),
              .policy = {},
              .final = false},
        runtime_{std::move(settings), nullptr, std::move(known)} {
    Assignment assignment;
    assignment.key = {"r1", "summary", unanswered.empty() ? 1 : unanswered.back().n + 1};
    assignment.unanswered = std::move(unanswered);
    assignment.step = &step_;
    assignment.blocks = std::move(blocks);
    assignment.root = "/project";
    if (!step_.work->output.empty()) assignment.output_path = "/project/" + step_.work->output;
    assignment.began = time_from_ms(1'700'000'000'000);
    take(runtime_.begin(assignment));
  }

  /// The present exchange prints this and ends so.
  Played& exchange(std::string_view log, const Ended& end = ended_well(), std::size_t piece_max = whole) {
    request.reset();
    tools.reset();
    in_pieces(log, piece_max, [&](std::string_view piece) { take(runtime_.next(Printed{piece})); });
    take(runtime_.next(end));
    return *this;
  }
  Played& at(Time now) {
    request.reset();
    take(runtime_.next(TimeCame{now}));
    return *this;
  }

  Played& cancelled() {
    request.reset();
    take(runtime_.next(Cancelled{}));
    return *this;
  }

  [[nodiscard]] std::string code() const { return !finish ? "none" : finish->failure ? finish->failure->code : "ok"; }

  std::optional<Request> request;
  std::optional<UseTools> tools;
  std::optional<Finish> finish;
  std::optional<std::string> output;
  std::optional<Usage> spent;
  std::optional<Time> waits;
  std::vector<std::string> said;
  std::vector<Meet> met;

 private:
  void take(Actions actions) {
    for (Action& action : actions) {
      if (auto* say = std::get_if<Say>(&action)) said.push_back(std::move(say->text));
      if (const auto* spend = std::get_if<Spend>(&action)) spent = spend->usage;
      if (auto* done = std::get_if<Finish>(&action)) finish = std::move(*done);
      if (auto* asked = std::get_if<Request>(&action)) request = std::move(*asked);
      if (auto* use = std::get_if<UseTools>(&action)) tools = std::move(*use);
      if (auto* wrote = std::get_if<WriteOutput>(&action)) output = std::move(wrote->content);
      if (const auto* wait = std::get_if<WaitUntil>(&action)) waits = wait->when;
      if (auto* meet = std::get_if<Meet>(&action)) met.push_back(std::move(*meet));
    }
  }

  Step step_;
  ApiRuntime runtime_;
};

inline ApiSettings anthropic() {
  ApiSettings settings;
  settings.auth = Auth{"x-api-key", "", KeyFromEnvironment{"ANTHROPIC_API_KEY"}};
  settings.model = "sonnet";
  return settings;
}

inline ApiSettings openai() {
  ApiSettings settings;
  settings.protocol = Protocol::chat;
  settings.auth = Auth{"authorization", "Bearer ", KeyFromEnvironment{"OPENAI_API_KEY"}};
  settings.model = "gpt-5.6";
  return settings;
}

}  // namespace baton::api

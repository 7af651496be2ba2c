// The logs of model APIs, for people: what the model said, not how the server wrote it down.
#include <fmt/core.h>

#include "base/text.h"
#include "runtime/api/characters.h"
#include "runtime/api/families.h"
#include "runtime/api/response_reader.h"
#include "runtime/api/tools.h"
#include "runtime/api/trouble.h"
#include "runtime/line_cutter.h"
#include "runtime/transcript.h"

namespace baton {
namespace {

constexpr std::string_view log_mark = "baton-http/";
constexpr std::size_t result_bytes_max = 200;

/// A response, or what tools answered: the beginning tells which.
class ApiTranscript final : public Transcript {
 public:
  explicit ApiTranscript(api::Protocol protocol) : reader_{protocol} {}

  LogLines read(std::string_view bytes) override {
    LogLines out;
    if (is_ours_ == Known::not_yet && !bytes.empty()) {
      is_ours_ = bytes.front() == log_mark.front() ? Known::yes : Known::no;
    }
    if (is_ours_ == Known::no) {
      other_ += bytes;
    } else {
      say(reader_.read(bytes), false, out);
    }
    return out;
  }

  LogLines end() override {
    LogLines out;
    if (is_ours_ == Known::no) return results();
    if (is_ours_ == Known::not_yet) return out;
    say(reader_.end(), true, out);
    const api::Answer& answer = reader_.answer();
    for (const api::ToolCall& call : answer.calls()) out.push_back({Voice::tool, api::about(call)});
    if (reader_.has_head() && reader_.head().status >= 300) {
      out.push_back({Voice::trouble, fmt::format("[error] {}", told(reader_.error()))});
    } else if (reader_.is_complete()) {
      out.push_back({Voice::result, summary(answer)});
    } else if (reader_.body().find("processing_status") != std::string::npos) {
      out.push_back({Voice::note, "[batch] " + shorten(reader_.body(), result_bytes_max)});
    } else if (reader_.has_error()) {
      out.push_back({Voice::trouble, fmt::format("[error] {}", told(reader_.error()))});
    }
    return out;
  }

 private:
  enum class Known { not_yet, yes, no };

  std::string told(const api::ServerError& error) const {
    const std::string status = reader_.head().status >= 300 ? fmt::format("{} ", reader_.head().status) : "";
    const std::string id = error.request_id.empty() ? "" : fmt::format(" (request {})", error.request_id);
    return fmt::format("{}{}: {}{}", status, error.type, error.message, id);
  }

  static std::string summary(const api::Answer& answer) {
    std::string line = fmt::format("[result] {}", answer.stop_word.empty() ? "done" : answer.stop_word);
    const Tokens& tokens = answer.usage.tokens;
    if (answer.usage.is_known) line += fmt::format("; {} tokens", tokens.total());
    if (tokens.cache_read > 0) line += fmt::format(", {} of them from the cache", tokens.cache_read);
    return line;
  }

  /// Whole lines, and what is left at the end.
  void say(std::string_view text, bool is_all, LogLines& out) {
    line_ += text;
    const auto end = is_all ? line_.size() : line_.rfind('\n') + 1;
    if (end == 0 || end > line_.size()) return;
    const std::string_view whole = trim_end(std::string_view{line_}.substr(0, end));
    if (!trim(whole).empty()) out.push_back({Voice::agent, api::as_characters(std::string{whole})});
    line_.erase(0, end);
  }
  static std::string_view trim_end(std::string_view text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
    return text;
  }

  LogLines results() {
    LogLines out;
    const auto answer = api::read_tool_results(other_);
    if (!answer) return other_.empty() ? out : LogLines{{Voice::program, other_}};
    for (const api::ToolResult& result : answer->results) {
      const std::string first = shorten(trim(result.content), result_bytes_max);
      out.push_back(
          {result.is_error ? Voice::trouble : Voice::note,
           fmt::format("[{}] {}", result.is_error ? "tool failed" : "tool", first.substr(0, first.find('\n')))});
    }
    if (!answer->unavailable.empty()) out.push_back({Voice::trouble, answer->unavailable});
    return out;
  }

  Known is_ours_ = Known::not_yet;
  api::ResponseReader reader_;
  std::string line_;
  std::string other_;
};

/// The courier's last line says how a transfer ended: that is news only if it ended badly.
class CourierTranscript final : public Transcript {
 public:
  LogLines read(std::string_view bytes) override {
    LogLines out;
    lines_.cut(bytes, [&](std::string_view line) { add(line, out); });
    return out;
  }
  LogLines end() override {
    LogLines out;
    lines_.end([&](std::string_view line) { add(line, out); });
    return out;
  }

 private:
  static void add(std::string_view line, LogLines& out) {
    const auto end = api::transfer_end(line);
    if (!end) {
      out.push_back({Voice::program, std::string{line}});
    } else if (end->how != api::Transfer::complete) {
      out.push_back({Voice::trouble, "[transfer] " + (end->message.empty() ? "it was cut off" : end->message)});
    }
  }

  LineCutter lines_;
};

}  // namespace

std::unique_ptr<Transcript> api_transcript(std::string_view runtime) {
  return std::make_unique<ApiTranscript>(api::protocol_of(runtime));
}

std::unique_ptr<Transcript> courier_transcript() { return std::make_unique<CourierTranscript>(); }

}  // namespace baton

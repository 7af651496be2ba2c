#include "runtime/transcript.h"

#include <fmt/core.h>

#include "base/text.h"
#include "runtime/api/families.h"
#include "runtime/claude_verdict.h"
#include "runtime/claude_words.h"
#include "runtime/line_cutter.h"

namespace baton {
namespace {

class PlainTranscript final : public Transcript {
 public:
  LogLines read(std::string_view bytes) override {
    LogLines out;
    lines_.cut(bytes, [&](std::string_view line) { add(line, out); });
    tell_passed_over(out);
    return out;
  }
  LogLines end() override {
    LogLines out;
    lines_.end([&](std::string_view line) { add(line, out); });
    tell_passed_over(out);
    return out;
  }

 private:
  static void add(std::string_view line, LogLines& out) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    out.push_back({Voice::program, std::string{line}});
  }
  void tell_passed_over(LogLines& out) {
    for (; told_ < lines_.passed_over(); ++told_) out.push_back({Voice::note, about(claude::PassedOver{1})});
  }

  LineCutter lines_;
  std::size_t told_ = 0;
};

class ClaudeTranscript final : public Transcript {
 public:
  explicit ClaudeTranscript(Detail detail) : detail_(detail) {}

  LogLines read(std::string_view bytes) override { return told(stream_.read(bytes)); }
  LogLines end() override {
    claude::Events events = stream_.end();
    // Half an event says nothing to anybody: its program was cut off, or is about to go on.
    std::erase_if(events, [](const claude::Event& event) {
      const auto* garbage = std::get_if<claude::Garbage>(&event);
      return garbage != nullptr && garbage->text.starts_with('{');
    });
    return told(std::move(events));
  }

 private:
  LogLines told(claude::Events events) {
    out_.clear();
    for (claude::Event& event : events) std::visit([&](auto& e) { tell(e); }, event);
    return std::move(out_);
  }

  void add(Voice voice, std::string text) {
    if (!trim(text).empty()) out_.push_back({voice, std::move(text)});
  }

  void tell(const claude::Began& began) {
    add(Voice::note, began.model.empty() ? "[begin]" : "[begin] " + began.model);
  }
  void tell(claude::Said& said) {
    said_ = said.text;
    add(said.by_helper ? Voice::helper : Voice::agent, std::move(said.text));
  }
  void tell(claude::Thought& thought) {
    if (detail_ == Detail::whole) add(Voice::thinking, std::move(thought.text));
  }
  void tell(const claude::UsedTool& tool) {
    std::string text = about(tool);
    const auto more = tool.command.find('\n');
    if (detail_ == Detail::whole && more != std::string::npos) text += tool.command.substr(more);
    add(Voice::tool, std::move(text));
  }
  void tell(const claude::ToolAnswered& answered) {
    const std::string_view text = trim(answered.message);
    if (detail_ == Detail::whole && !text.empty()) add(Voice::answer, fmt::format("[answer] {}", text));
  }
  void tell(const claude::ToolFailed& failed) {
    add(Voice::trouble, fmt::format("{}[tool failed] {}", failed.by_helper ? "[agent] " : "", trim(failed.message)));
  }
  void tell(const claude::Message&) {}  // what it used is told by the result
  void tell(const claude::ErrorMessage& error) {
    add(Voice::trouble,
        fmt::format("[error] {}{}", error.error, error.status ? fmt::format(" ({})", *error.status) : ""));
  }
  void tell(const claude::Retries& retries) { add(Voice::trouble, about(retries)); }
  void tell(const claude::Denied& denied) { add(Voice::trouble, about(denied)); }
  void tell(const claude::RateLimit& limit) {
    if (limit.status != "allowed") add(Voice::trouble, about(limit));
  }
  void tell(const claude::Notice& notice) { add(Voice::note, "[note] " + notice.text); }
  void tell(claude::Garbage& garbage) { add(Voice::program, std::move(garbage.text)); }
  void tell(const claude::PassedOver& passed) { add(Voice::note, about(passed)); }

  void tell(const claude::Result& result) {
    // Its text is what the agent said last, most often.
    if (trim(result.text) != trim(said_)) add(result.is_error ? Voice::trouble : Voice::agent, result.text);
    for (const std::string& error : result.errors) add(Voice::trouble, "[error] " + error);
    const bool good = tells_success(result);
    const std::string how = good                              ? "done"
                            : !result.terminal_reason.empty() ? "failed: " + result.terminal_reason
                            : result.subtype.empty()          ? "failed"
                                                              : "failed: " + result.subtype;
    Tokens tokens;
    const bool by_model = result.session_usage && !result.session_usage->empty();
    if (!by_model) tokens = result.turn_tokens.value_or(Tokens{});
    for (const ModelUsage& usage : by_model ? *result.session_usage : std::vector<ModelUsage>{}) tokens += usage.tokens;
    std::string line = fmt::format("[result] {}; {} turn{}", how, result.turns, result.turns == 1 ? "" : "s");
    if (tokens.total() > 0) line += fmt::format(", {} tokens", tokens.total());
    if (result.total_cost) line += ", " + money(*result.total_cost);
    add(good ? Voice::result : Voice::trouble, std::move(line));
  }

  using ModelUsage = claude::ModelUsage;
  Detail detail_;
  ClaudeStream stream_{ClaudeStream::Wants::transcript};
  std::string said_;
  LogLines out_;
};

}  // namespace

std::unique_ptr<Transcript> make_transcript(std::string_view runtime, Detail detail) {
  if (runtime == "claude") return std::make_unique<ClaudeTranscript>(detail);
  return asks_api(runtime) ? api_transcript(runtime) : plain_transcript();
}

bool prints_text(std::string_view runtime) { return runtime != "claude" && !asks_api(runtime); }

std::unique_ptr<Transcript> make_error_transcript(std::string_view runtime) {
  return asks_api(runtime) ? courier_transcript() : plain_transcript();
}

std::unique_ptr<Transcript> plain_transcript() { return std::make_unique<PlainTranscript>(); }

}  // namespace baton

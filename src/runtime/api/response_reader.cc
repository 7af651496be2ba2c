#include "runtime/api/response_reader.h"

#include <utility>

#include "base/limits.h"
#include "base/text.h"
#include "runtime/api/chat_reader.h"
#include "runtime/api/error_body.h"
#include "runtime/api/json_reading.h"
#include "runtime/api/messages_reader.h"

namespace baton::api {
namespace {

bool is_good(int status) { return status >= 200 && status < 300; }

/// An event that nothing ended, and that makes no sense: the rest of it did not come. It is as if it had not begun.
bool was_cut_off(const SseEvent& event) { return trim(event.data) != "[DONE]" && !read_json(event.data); }

}  // namespace

std::unique_ptr<AnswerReader> answer_reader(Protocol protocol) {
  if (protocol == Protocol::messages) return std::make_unique<MessagesReader>();
  return std::make_unique<ChatReader>();
}

ResponseReader::ResponseReader(Protocol protocol) : answer_{answer_reader(protocol)} {}

std::string ResponseReader::read(std::string_view bytes) {
  const std::string_view body = log_.read(bytes);
  return body.empty() ? std::string{} : take(body);
}

/// By the type it has; else by how it begins: servers that stream and do not say so are many.
void ResponseReader::choose_form(std::string_view body) {
  const std::string type = head().media_type();
  if (!is_good(head().status)) {
    form_ = Form::document;
  } else if (type == "text/event-stream") {
    form_ = Form::stream;
  } else if (type == "application/json") {
    form_ = Form::document;
  } else if (const auto first = body.find_first_not_of(" \t\r\n"); first != std::string_view::npos) {
    form_ = body[first] == '{' || body[first] == '[' ? Form::document : Form::stream;
  }
}

std::string ResponseReader::take(std::string_view body) {
  if (form_ == Form::unknown) {
    choose_form(body);
    // Blanks that came before the form was known belong to the stream too.
    if (form_ == Form::stream) (void)take_events(events_.read(std::exchange(body_, {})));
  }
  if (form_ == Form::stream) return take_events(events_.read(body));
  is_too_long_ = is_too_long_ || body_.size() + body.size() > Limits::output_bytes_max;
  if (!is_too_long_) body_ += body;
  return {};
}

std::string ResponseReader::take_events(const std::vector<SseEvent>& events) {
  std::string said;
  for (const SseEvent& event : events) said += answer_->event(event.name, event.data);
  return said;
}

std::string ResponseReader::end() {
  if (has_ended_) return {};
  has_ended_ = true;
  std::string said;
  if (form_ == Form::stream) {
    std::vector<SseEvent> last = events_.end();
    std::erase_if(last, was_cut_off);
    said = take_events(last);
    answer_->end();
  } else if (has_head() && is_good(head().status) && !body_.empty() && !is_too_long_) {
    answer_->document(body_);
    said = answer_->answer().text();
  }
  return said;
}

bool ResponseReader::is_complete() const {
  return has_head() && is_good(head().status) && answer_->is_complete() && !has_error() && broken().empty();
}

bool ResponseReader::has_error() const { return answer_->has_error() || (has_head() && !is_good(head().status)); }

ServerError ResponseReader::error() const {
  ServerError error = answer_->has_error() ? answer_->error() : error_body(head().status, body_);
  if (error.request_id.empty()) error.request_id = head().request_id();
  return error;
}

std::string ResponseReader::broken() const {
  if (log_.state() == ResponseLog::State::broken) return "the log of the response cannot be read";
  if (is_too_long_) return "the answer is longer than all measure";
  if (events_.passed_over() > 0) return "an event of the stream is longer than all measure";
  return answer_->broken();
}

}  // namespace baton::api

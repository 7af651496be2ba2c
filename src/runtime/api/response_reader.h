#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "runtime/api/answer.h"
#include "runtime/api/response_log.h"
#include "runtime/api/sse.h"

namespace baton::api {

std::unique_ptr<AnswerReader> answer_reader(Protocol protocol);

/// Reads the log of one response from its beginning, as it grows: head, then a stream or a document, as it says itself.
class ResponseReader {
 public:
  explicit ResponseReader(Protocol protocol);

  /// Answers what the model said in these bytes.
  std::string read(std::string_view bytes);
  /// There will be no more bytes.
  std::string end();

  /// The response has begun: its head is whole.
  [[nodiscard]] bool has_head() const { return log_.state() == ResponseLog::State::body; }
  [[nodiscard]] const ResponseHead& head() const { return log_.head(); }
  [[nodiscard]] const Answer& answer() const { return answer_->answer(); }
  /// An answer is there as a whole, and it can be read.
  [[nodiscard]] bool is_complete() const;
  /// It came event by event, and so says itself where it ends. Where a document ends its transfer says.
  [[nodiscard]] bool is_stream() const { return form_ == Form::stream; }
  /// The server says that there is no answer.
  [[nodiscard]] bool has_error() const;
  /// REQUIRES: has_error()
  [[nodiscard]] ServerError error() const;
  /// What cannot be read in what came; empty: nothing.
  [[nodiscard]] std::string broken() const;
  /// The body of what is neither stream nor answer: lists of batches, say. Whole after end().
  [[nodiscard]] const std::string& body() const { return body_; }

 private:
  enum class Form { unknown, stream, document };

  std::string take(std::string_view body);
  std::string take_events(const std::vector<SseEvent>& events);
  void choose_form(std::string_view body);

  ResponseLog log_;
  Form form_ = Form::unknown;
  SseReader events_;
  std::string body_;
  bool is_too_long_ = false;
  bool has_ended_ = false;
  std::unique_ptr<AnswerReader> answer_;
};

}  // namespace baton::api

#pragma once

#include <memory>
#include <string_view>

#include "core/log_line.h"

namespace baton {

/// What an attempt printed, for people: bytes as they come, cut anywhere, in; lines out. No I/O, no clock.
class Transcript {
 public:
  virtual ~Transcript() = default;
  virtual LogLines read(std::string_view bytes) = 0;
  /// There will be no more bytes: an unfinished line is read as it is.
  virtual LogLines end() = 0;
};

/// What is told of an agent: what it did, or also what it thought, what it asked of tools and what they answered.
enum class Detail { brief, whole };

/// Of the standard output of that runtime's attempts; of a runtime that prints what people can read, the lines
/// themselves.
std::unique_ptr<Transcript> make_transcript(std::string_view runtime, Detail detail = Detail::brief);

/// That runtime's attempts print lines of text, not events.
bool prints_text(std::string_view runtime);

/// Of the standard error of that runtime's attempts.
std::unique_ptr<Transcript> make_error_transcript(std::string_view runtime);

/// Of the responses of a model's API, and of what its tools answered.
std::unique_ptr<Transcript> api_transcript(std::string_view runtime);
/// Of what the courier says about a transfer.
std::unique_ptr<Transcript> courier_transcript();

/// Of what is lines of text already: a standard error, say.
std::unique_ptr<Transcript> plain_transcript();

}  // namespace baton

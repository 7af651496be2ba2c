#pragma once

#include <boost/json/fwd.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "runtime/api/answer.h"

namespace baton::api {

/// Reads answers of chat completions, as OpenAI's and the local servers' have them: usage may be missing or come last,
/// `[DONE]` may be missing, reasoning has several names, errors have many forms.
class ChatReader final : public AnswerReader {
 public:
  std::string event(std::string_view name, std::string_view data) override;
  void document(std::string_view body) override;
  void end() override;

 private:
  void read_head(const boost::json::object& object);
  void read_usage(const boost::json::object& usage);
  std::string read_choice(const boost::json::object& choice);
  std::string read_words(const boost::json::object& message);
  void read_calls(const boost::json::object& message);
  Block& block_of(Block::Kind kind);

  std::map<std::int64_t, std::size_t> calls_;  ///< tool calls under way: the stream's index to the answer's block
  std::size_t text_bytes_ = 0;
};

}  // namespace baton::api

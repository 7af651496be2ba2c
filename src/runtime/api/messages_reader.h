#pragma once

#include <boost/json/fwd.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "runtime/api/answer.h"

namespace baton::api {

/// Reads answers of the Messages API. A stream is complete with `message_stop`, or without it where all that comes
/// before it is there: every block is closed, and it was said why the model stopped. One stream holds one message. What
/// it does not know, it leaves alone.
class MessagesReader final : public AnswerReader {
 public:
  std::string event(std::string_view name, std::string_view data) override;
  void document(std::string_view body) override;
  void end() override;

 private:
  /// A block under way.
  struct Open {
    std::size_t at = 0;        ///< in the answer's blocks
    std::string partial_json;  ///< of a tool's input
  };

  void begin(const boost::json::object& event);
  void finish();
  void read_message(const boost::json::object& message);
  void read_usage(const boost::json::object& usage);
  void read_stop(const boost::json::object& holder);
  std::string start_block(const boost::json::object& event);
  std::string add_delta(const boost::json::object& event);
  void stop_block(const boost::json::object& event);
  void close(Open& open);
  Block* block_at(std::int64_t index, Block::Kind kind);

  std::map<std::int64_t, Open> open_;  ///< by the stream's own index
  std::size_t text_bytes_ = 0;
  bool has_begun_ = false;
};

}  // namespace baton::api

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cli/context.h"

namespace boost::asio {
class io_context;
}

namespace baton::cli {

/// True if there is somebody to ask: a terminal on both sides.
bool can_ask(const Common& common);

/// Asks on the terminal while the loop goes on; the answer (a line, without its newline) comes to the callback.
class Question {
 public:
  Question(boost::asio::io_context& context, const std::string& text, std::function<void(const std::string&)> answered);
  ~Question();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace baton::cli

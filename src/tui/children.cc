#include "tui/children.h"

#include <utility>

#include "io/environment.h"

namespace baton::tui {

bool Children::start(const std::vector<std::string>& argv, const std::string& input, Then then) {
  constexpr std::size_t said_bytes_max = 8U << 20U;
  auto command =
      RunningCommand::start({.argv = argv, .env = own_environment()}, {.input = input, .bytes_max = said_bytes_max});
  if (command) children_.push_back({std::move(*command), std::move(then)});
  return command.has_value();
}

void Children::add_to(std::vector<pollfd>& fds) const {
  for (const Child& c : children_) c.command.add_to(fds);
}

bool Children::look() {
  std::vector<Child> ended;
  for (auto c = children_.begin(); c != children_.end();) {
    if (c->command.look()) {
      ended.push_back(std::move(*c));
      c = children_.erase(c);
    } else {
      ++c;
    }
  }
  for (const Child& c : ended) {
    const CommandEnd& end = c.command.end();
    c.then({end.exit.value_or(128 + end.signal), end.out, end.err});
  }
  return !ended.empty();
}

}  // namespace baton::tui

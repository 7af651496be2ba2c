#include "cli/question.h"

#include <unistd.h>

#include <array>

#include "cli/reporter.h"
#include "host/asio.h"

namespace baton::cli {

namespace asio = boost::asio;

bool can_ask(const Common& common) {
  return !common.json && ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
}

struct Question::Parts {
  Parts(asio::io_context& context, std::function<void(const std::string&)> f)
      : input(context, ::dup(STDIN_FILENO)), answered(std::move(f)) {}

  asio::posix::stream_descriptor input;
  std::function<void(const std::string&)> answered;
  std::array<char, 256> buffer{};
};

Question::Question(asio::io_context& context, const std::string& text, std::function<void(const std::string&)> answered)
    : parts_(std::make_unique<Parts>(context, std::move(answered))) {
  write_out(STDERR_FILENO, text);
  parts_->input.async_read_some(asio::buffer(parts_->buffer), [p = parts_.get()](auto error, std::size_t size) {
    if (error) return;
    std::string line{p->buffer.data(), size};
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
    p->answered(line);
  });
}

Question::~Question() = default;

}  // namespace baton::cli

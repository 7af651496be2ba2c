#include "courier/keys.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <fmt/core.h>

#include <algorithm>

#include "base/limits.h"
#include "base/text.h"
#include "courier/call.h"
#include "courier/files.h"
#include "io/program.h"

namespace baton::courier {
namespace {

constexpr std::int64_t command_ms_max = 30'000;
constexpr std::int64_t kept_ms = 60'000;

/// What a source gave, as a key; it is not said in any message.
Keys::Key key_in(std::string text, const std::string& source) {
  std::string key{trim(text)};
  wipe(text);
  if (key.empty()) return std::unexpected(fmt::format("there is no key: {} is empty", source));
  if (is_header_value(key)) return key;
  wipe(key);
  return std::unexpected(fmt::format("there is no key: what {} holds cannot be one", source));
}

}  // namespace

Keys::~Keys() {
  for (auto& [fd, asked] : asked_) ::kill(asked.pid, SIGKILL);
  for (auto& [name, kept] : kept_) wipe(kept.key);
}

void Keys::fetch(const KeySource& source, const std::shared_ptr<const Surroundings>& around, Taker taker) {
  switch (source.kind) {
    case KeySource::Kind::environment: {
      const std::string_view value = around->variable(source.name);
      if (value.empty()) return taker(std::unexpected(fmt::format("there is no key: {} is not set", source.name)));
      return taker(key_in(std::string{value}, source.name));
    }
    case KeySource::Kind::file: {
      const std::string path = source.name.starts_with('/') ? source.name : around->folder + "/" + source.name;
      auto text = read_file(path, Limits::key_bytes_max);
      if (!text) return taker(std::unexpected("there is no key: " + text.error()));
      return taker(key_in(std::move(*text), path));
    }
    case KeySource::Kind::command:
      return ask(source, around, std::move(taker));
  }
}

void Keys::ask(const KeySource& source, const std::shared_ptr<const Surroundings>& around, Taker taker) {
  const Name name{around.get(), source.argv};
  if (const auto kept = kept_.find(name); kept != kept_.end()) return taker(kept->second.key);
  for (auto& [fd, asked] : asked_) {
    if (asked.name == name) return asked.takers.push_back(std::move(taker));
  }
  auto pipe = make_pipe();
  if (!pipe) return taker(std::unexpected(std::string{"there is no key: "} + ::strerror(errno)));
  const auto pid =
      start_program({.argv = source.argv, .env = around->env, .cwd = around->folder, .stdout_fd = pipe->write.get()});
  if (!pid) return taker(std::unexpected("there is no key: " + pid.error()));
  ::fcntl(pipe->read.get(), F_SETFL, O_NONBLOCK);
  Asked asked{.name = name,
              .around = around,
              .pid = *pid,
              .process = watch_process(*pid),
              .output = std::move(pipe->read),
              .kill_at = monotonic_ms() + command_ms_max};
  asked.takers.push_back(std::move(taker));
  const int process = asked.process.get();
  asked_.emplace(process, std::move(asked));
  watch_(process, true);
}

Keys::Key Keys::answer_of(Asked& asked) {
  const ProgramEnd end = wait_for_end(asked.pid);
  std::string text(Limits::key_bytes_max, '\0');
  const ssize_t size = ::read(asked.output.get(), text.data(), text.size());  // what did not fit the pipe is no key
  const std::string& program = asked.name.second.front();
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  if (end.exit == 0) return key_in(std::move(text), program);
  wipe(text);
  if (asked.overran) return std::unexpected(fmt::format("there is no key: {} took longer than 30 s", program));
  if (end.exit) return std::unexpected(fmt::format("there is no key: {} exited with {}", program, *end.exit));
  return std::unexpected(fmt::format("there is no key: {} was ended by signal {}", program, end.signal));
}

bool Keys::heard(int fd) {
  const auto place = asked_.find(fd);
  if (place == asked_.end()) return false;
  watch_(fd, false);
  Asked asked = std::move(place->second);
  asked_.erase(place);
  const Key key = answer_of(asked);
  if (key) kept_.insert_or_assign(asked.name, Kept{asked.around, *key, monotonic_ms() + kept_ms});
  for (const Taker& taker : asked.takers) taker(key);
  return true;
}

std::int64_t Keys::tend(std::int64_t now) {
  std::int64_t due = never;
  for (auto& [fd, asked] : asked_) {
    if (!asked.overran && now >= asked.kill_at) {
      asked.overran = true;
      ::kill(asked.pid, SIGKILL);
    }
    if (!asked.overran) due = std::min(due, asked.kill_at);
  }
  for (auto place = kept_.begin(); place != kept_.end();) {
    Kept& kept = place->second;
    if (now < kept.until) {
      due = std::min(due, kept.until);
      ++place;
    } else {
      wipe(kept.key);
      place = kept_.erase(place);
    }
  }
  return due;
}

}  // namespace baton::courier

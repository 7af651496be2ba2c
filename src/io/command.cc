#include "io/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <utility>

#include "io/files.h"

namespace baton {
namespace {

/// A file that only its descriptors lead to. A program that does not read what it is given keeps this process from
/// nothing, and finds all of it though this process is gone.
Descriptor file_of(std::string_view text) {
  Descriptor file{::memfd_create("input", MFD_CLOEXEC)};
  if (!file || (write_all(file.get(), text) == 0 && ::lseek(file.get(), 0, SEEK_SET) == 0)) return file;
  return {};
}

std::unexpected<std::string> refused() { return std::unexpected(std::string{::strerror(errno)}); }

}  // namespace

/// At most so much at once: a program that prints without end must not keep this process from looking at the time.
void RunningCommand::Output::hear(std::size_t bytes_max) {
  constexpr int reads_max = 32;
  std::array<char, 65536> buffer;
  for (int reads = 0; from && reads < reads_max; ++reads) {
    const ssize_t n = ::read(from.get(), buffer.data(), buffer.size());
    if (n > 0) {
      text.append(buffer.data(), std::min(static_cast<std::size_t>(n), bytes_max - text.size()));
    } else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
      from.close();
    } else if (errno == EAGAIN) {
      return;
    }
  }
}

std::expected<RunningCommand, std::string> RunningCommand::start(Program program, const CommandTerms& terms) {
  const Descriptor input = terms.input.empty() ? Descriptor{} : file_of(terms.input);
  if (!terms.input.empty() && !input) return refused();
  auto out = make_pipe();
  auto err = terms.in_one ? std::optional<Pipe>{Pipe{}} : make_pipe();
  if (!out || !err) return refused();
  program.stdin_fd = input.get();
  program.stdout_fd = out->write.get();
  program.stderr_fd = terms.in_one ? out->write.get() : err->write.get();
  const auto pid = start_program(program);
  if (!pid) return std::unexpected(pid.error());
  RunningCommand running;
  running.pid_ = *pid;
  running.process_ = watch_process(*pid);
  running.out_.from = std::move(out->read);
  running.err_.from = std::move(err->read);
  for (const Output* output : {&running.out_, &running.err_}) {
    if (output->from) ::fcntl(output->from.get(), F_SETFL, O_NONBLOCK);
  }
  running.bytes_max_ = terms.bytes_max;
  running.awaits_outputs_ = terms.awaits_outputs;
  return running;
}

void RunningCommand::add_to(std::vector<pollfd>& waits) const {
  for (const Descriptor* open : {&out_.from, &err_.from, &process_}) {
    if (*open) waits.push_back({open->get(), POLLIN, 0});
  }
}

bool RunningCommand::look() {
  out_.hear(bytes_max_);
  err_.hear(bytes_max_);
  if (awaits_outputs_ && (out_.from || err_.from)) return false;
  const auto how = end_if_over(pid_);
  if (how) finish(*how);
  return how.has_value();
}

void RunningCommand::end_now() {
  ::kill(-pid_, SIGKILL);  // until it is waited for, the number of its session is nobody else's
  end_.in_time = false;
  finish(wait_for_end(pid_));
}

void RunningCommand::finish(const ProgramEnd& how) {
  // What it started may still have the other ends open: what there is now has to do.
  out_.hear(bytes_max_);
  err_.hear(bytes_max_);
  static_cast<ProgramEnd&>(end_) = how;
  end_.out = std::move(out_.text);
  end_.err = std::move(err_.text);
  for (Descriptor* open : {&out_.from, &err_.from, &process_}) open->close();
}

std::expected<CommandEnd, std::string> run_command(const Program& program, const CommandTerms& terms) {
  constexpr Millis wait_max{60'000};
  constexpr Millis look_again_after{10};  // where the system does not tell of an end
  auto running = RunningCommand::start(program, terms);
  if (!running) return std::unexpected(running.error());
  const auto begun = std::chrono::steady_clock::now();
  std::vector<pollfd> waits;
  while (!running->look()) {
    const auto lasted = std::chrono::floor<Millis>(std::chrono::steady_clock::now() - begun);
    if (lasted >= terms.lasts_max) {
      running->end_now();
      break;
    }
    waits.clear();
    running->add_to(waits);
    const Millis left = std::min(terms.lasts_max - lasted, running->tells_its_end() ? wait_max : look_again_after);
    ::poll(waits.data(), waits.size(), static_cast<int>(left.count()));
  }
  return running->end();
}

}  // namespace baton

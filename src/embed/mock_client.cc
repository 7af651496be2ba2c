#include <condition_variable>
#include <mutex>

#include "baton/baton.h"

namespace baton {
inline namespace v1 {

bool cancellable_sleep(Milliseconds duration, const std::stop_token& stop) {
  if (stop.stop_requested()) return false;
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock{mutex};
  // Nobody notifies: only the time or the stop ends it.
  (void)changed.wait_for(lock, stop, duration, [] { return false; });
  return !stop.stop_requested();
}

struct MockClient::State {
  Generator generator;
  mutable std::mutex mutex;
  std::vector<ClientRequest> calls;
  std::optional<ExecutionError> error;
  bool once = true;
  Milliseconds delay{0};
};

MockClient::MockClient(Generator generator) : state_{std::make_unique<State>()} {
  state_->generator = std::move(generator);
}
MockClient::~MockClient() = default;

void MockClient::set_error(ExecutionError error, bool once) {
  const std::lock_guard lock{state_->mutex};
  state_->error = std::move(error);
  state_->once = once;
}

void MockClient::clear_error() {
  const std::lock_guard lock{state_->mutex};
  state_->error.reset();
}

void MockClient::set_delay(Milliseconds delay) {
  const std::lock_guard lock{state_->mutex};
  state_->delay = delay;
}

std::vector<ClientRequest> MockClient::calls() const {
  const std::lock_guard lock{state_->mutex};
  return state_->calls;
}

ClientReply MockClient::complete(const ClientRequest& request) {
  ExecutionError aborted{.code = ExecutionErrorCode::aborted, .message = "Aborted", .retryable = false};
  if (request.stop.stop_requested()) return aborted;
  Milliseconds delay{0};
  {
    const std::lock_guard lock{state_->mutex};
    delay = state_->delay;
  }
  if (delay.count() > 0 && !cancellable_sleep(delay, request.stop)) return aborted;
  Generator generator;
  {
    const std::lock_guard lock{state_->mutex};
    state_->calls.push_back(request);
    if (state_->error) {
      ExecutionError error = *state_->error;
      if (state_->once) state_->error.reset();
      return error;
    }
    generator = state_->generator;
  }
  if (generator) return generator(request);
  return ClientResponse{"Mock output for task", 100, 200, StopReason::end_turn};
}

}  // namespace v1
}  // namespace baton

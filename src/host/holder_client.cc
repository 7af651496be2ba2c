#include "host/holder_client.h"

#include <errno.h>
#include <poll.h>

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>

#include "host/asio.h"
#include "host/held_log.h"
#include "host/holder_link.h"
#include "host/holder_messages.h"
#include "io/process_tree.h"

namespace baton {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr std::chrono::seconds patience{1};  // for the holder to start or to answer

// What the holder needs for itself. What it starts gets the environment of its run, which comes by the socket: so no
// key that is in this engine's stands in a list of processes for as long as the holder lives.
bool is_for_holder(std::string_view entry) {
  constexpr std::string_view names[] = {"PATH", "HOME", "LANG", "TZ", "TMPDIR", "LD_LIBRARY_PATH"};
  const std::string_view name = entry.substr(0, entry.find('='));
  if (is_attempt_mark(entry)) return false;  // it outlives the attempt this engine may be running in
  return name.starts_with("BATON_") || name.starts_with("LC_") || name.ends_with("SAN_OPTIONS") ||
         std::ranges::find(names, name) != std::end(names);
}

HolderProgram holder_program(const HolderOptions& options) {
  HolderProgram program{.path = options.program, .state_dir = options.state_dir, .environment = options.environment};
  std::erase_if(program.environment, [](const std::string& entry) { return !is_for_holder(entry); });
  return program;
}

// An attempt that was asked for or found, and of which no end was told yet.
struct OpenAttempt {
  std::optional<SpawnSpec> spec = {};  // none if an earlier engine asked for it
  Millis grace{5000};
  std::optional<Millis> stopping = {};
};

struct DrivenRun {
  HeldLog log;
  bool driven = false;    // asked for by attach() and not let go
  bool attached = false;  // the holder at the other end knows it
  bool frozen = false;
  std::optional<Time> wake = {};
  std::int64_t log_bytes_max = 0;  // of each log of an attempt; 0: no limit
};

}  // namespace

struct HolderClient::Impl : std::enable_shared_from_this<HolderClient::Impl> {
  Impl(asio::io_context& its_loop, HolderOptions its_options)
      : loop(its_loop), options(std::move(its_options)), holder(holder_program(options)), socket(loop), pause(loop) {}

  // The connection.
  bool connected() const { return socket.is_open(); }
  void adopt(int fd);
  void drop();
  void say(const Message& message);
  void say_later(const Message& message);
  bool flush();
  void watch_output();
  void watch_input();
  bool hear();
  bool understand(const Message& message);
  bool converse(const std::function<bool()>& done, SteadyTime until);

  // Runs and their attempts.
  DrivenRun& run_of(const std::string& name);
  Expected<std::vector<HolderSighting>> attach(const std::string& name);
  void restore();
  void restore_run(const std::string& name);
  void reconcile(const std::string& name, const std::set<AttemptKey>& seen);
  void take_up(const HolderSighting& seen);
  void lost(const AttemptKey& key);
  void say_stop(const AttemptKey& key, Millis grace) {
    Message message = key_message("stop", key);
    message.push_back(std::to_string(grace.count()));
    say(message);
  }
  void say_wake(const std::string& name, const DrivenRun& run) {
    say({"wake-at", name, run.wake ? std::to_string(to_ms(*run.wake)) : "-"});
  }
  void say_log_limit(const std::string& name, const DrivenRun& run) {
    if (takes_log_limits) say({"log-limit", name, std::to_string(run.log_bytes_max)});
  }

  // Notices.
  void notify(HostNotice notice);
  void post_delivery();
  void deliver();

  template <class F>
  auto weakly(F f) {
    return [weak = weak_from_this(), f = std::move(f)](auto&&... args) {
      if (const auto self = weak.lock()) f(*self, args...);
    };
  }

  asio::io_context& loop;
  HolderOptions options;
  HolderProgram holder;
  asio::posix::stream_descriptor socket;
  asio::steady_timer pause;
  std::string in;
  std::string out;
  bool watches_output = false;
  bool corked = false;
  bool flush_posted = false;
  std::map<std::string, DrivenRun> runs;
  std::map<AttemptKey, OpenAttempt> open;
  std::vector<HolderSighting> sightings;  // of the attach that is being answered
  std::string answered;                   // the run of the last attach answered
  bool takes_conditions = false;          // a holder that was started by an earlier version does not
  bool takes_calls = false;               // likewise
  bool takes_log_limits = false;          // likewise
  std::optional<bool> waking;             // the answer to wake-now
  std::function<void(const HostNotice&)> sink;
  std::deque<HostNotice> inbox;
  bool delivery_posted = false;
  ProcessTable processes;  // as they were when looked at
  SteadyTime looked{};

  /// Whoever asks for many attempts at once is answered from one look at the machine.
  const ProcessTable& processes_now() {
    constexpr std::chrono::milliseconds still_now{10};
    const SteadyTime now = std::chrono::steady_clock::now();
    if (now - looked > still_now) {
      processes = look_at_processes(options.state_dir);
      looked = now;
    }
    return processes;
  }
};

void HolderClient::Impl::adopt(int fd) {
  socket.assign(fd);
  in.clear();
  out.clear();
  watches_output = false;
  for (auto& [name, run] : runs) run.attached = false;
  watch_input();
  asio::post(loop, weakly([](Impl& self) { self.restore(); }));
}

// Closes and comes back from the loop; what was asked for is kept in `runs` and `open`, so nothing need be queued.
void HolderClient::Impl::drop() {
  if (!connected()) return;
  error_code ignored;
  socket.close(ignored);
  for (auto& [name, run] : runs) run.attached = false;
  asio::post(loop, weakly([](Impl& self) { self.restore(); }));
}

void HolderClient::Impl::say(const Message& message) {
  if (!connected()) return;
  out += encode_frame(message);
  if (!watches_output && !corked && !flush()) drop();
}

// Goes with whatever else is said in this turn of the loop, so that the holder is woken once for all of it. If that is
// much, some of it goes at once, and the holder begins meanwhile.
void HolderClient::Impl::say_later(const Message& message) {
  constexpr std::size_t much = 8U << 10U;
  if (out.size() > much) return say(message);
  if (!connected()) return;
  out += encode_frame(message);
  if (std::exchange(flush_posted, true)) return;
  asio::post(loop, weakly([](Impl& self) {
               self.flush_posted = false;
               if (self.connected() && !self.out.empty() && !self.watches_output && !self.flush()) self.drop();
             }));
}

// Writes what the socket takes. False if the connection is dead.
bool HolderClient::Impl::flush() {
  const ssize_t size = ::send(socket.native_handle(), out.data(), out.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (size < 0 && errno != EAGAIN && errno != EINTR) return false;
  if (size > 0) out.erase(0, static_cast<std::size_t>(size));
  if (!out.empty()) watch_output();
  return true;
}

void HolderClient::Impl::watch_output() {
  if (watches_output) return;
  watches_output = true;
  socket.async_wait(asio::posix::descriptor_base::wait_write, weakly([](Impl& self, const error_code& error) {
                      if (error) return;
                      self.watches_output = false;
                      if (!self.out.empty() && !self.flush()) self.drop();
                    }));
}

void HolderClient::Impl::watch_input() {
  socket.async_wait(asio::posix::descriptor_base::wait_read, weakly([](Impl& self, const error_code& error) {
                      if (error) return;
                      if (!self.hear()) {
                        self.drop();
                      } else {
                        self.watch_input();
                      }
                      self.deliver();
                    }));
}

// Reads what is there. False if the connection is dead or talks nonsense.
bool HolderClient::Impl::hear() {
  std::array<char, 65536> chunk;
  const ssize_t size = ::recv(socket.native_handle(), chunk.data(), chunk.size(), MSG_DONTWAIT);
  if (size == 0) return false;
  if (size < 0) return errno == EAGAIN || errno == EINTR;
  in.append(chunk.data(), static_cast<std::size_t>(size));
  std::size_t used = 0;
  for (;;) {
    const Decoded frame = decode_frame(std::string_view{in}.substr(used));
    if (frame.kind == Decoded::Kind::partial) break;
    if (frame.kind == Decoded::Kind::garbage || !understand(frame.message)) return false;
    used += frame.size;
  }
  in.erase(0, used);
  return true;
}

bool HolderClient::Impl::understand(const Message& message) {
  const std::string& about = message.front();
  if (about == "started") {
    const auto notice = parse_started(message);
    if (notice) notify(*notice);
    return notice.has_value();
  }
  if (about == "exited") {
    auto record = parse_exited(message);
    if (!record) return false;
    open.erase(record->key);
    notify(AttemptExitedNotice{std::move(*record)});
    return true;
  }
  if (about == "unrecorded") {
    if (message.size() < 3) return false;
    notify(HostTroubleNotice{{message[1], {}, 0}, message[2]});
    return true;
  }
  if (about == "lost") {
    const auto key = parse_lost(message);
    if (key) lost(*key);
    return key.has_value();
  }
  if (about == "sighting") {
    auto seen = parse_sighting(message);
    if (seen) sightings.push_back(std::move(*seen));
    return seen.has_value();
  }
  if (message.size() < 2) return false;
  if (about == "attached") {
    answered = message[1];
    takes_conditions = message.size() > 2;
    takes_calls = message.size() > 3;
    takes_log_limits = message.size() > 4;
  }
  if (about == "waking") waking = message.back() == "1";
  return true;
}

// Talks with the holder outside the loop until `done`. What it says of other things meanwhile is delivered later.
bool HolderClient::Impl::converse(const std::function<bool()>& done, SteadyTime until) {
  while (!done()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
    if (!connected() || left <= 0) return false;
    const short events = out.empty() ? POLLIN : POLLIN | POLLOUT;
    pollfd ready{.fd = socket.native_handle(), .events = events, .revents = 0};
    ::poll(&ready, 1, static_cast<int>(left));
    const bool spoken = (ready.revents & POLLOUT) == 0 || flush();
    const bool heard = (ready.revents & (POLLIN | POLLHUP | POLLERR)) == 0 || hear();
    if (!spoken || !heard) drop();
  }
  return true;
}

DrivenRun& HolderClient::Impl::run_of(const std::string& name) {
  const auto place = runs.find(name);
  if (place != runs.end()) return place->second;
  return runs.emplace(name, DrivenRun{.log = {name, options.held_log(name)}}).first->second;
}

Expected<std::vector<HolderSighting>> HolderClient::Impl::attach(const std::string& name) {
  const SteadyTime until = std::chrono::steady_clock::now() + patience;
  DrivenRun& run = run_of(name);
  Message message{"attach", name, run.log.path(), options.project_dir};
  put_list(message, options.wake_argv(name));
  put_list(message, options.environment);
  for (;;) {
    if (!connected()) {
      auto link = reach_holder(holder, until);
      if (!link) return std::unexpected(link.error());
      adopt(link->release());
    }
    sightings.clear();
    answered.clear();
    say(message);
    if (converse([&] { return answered == name; }, until)) break;
    if (std::chrono::steady_clock::now() >= until) {
      drop();
      return fault("holder-unreachable", "the holder does not answer", "see holder.log in " + options.state_dir);
    }
  }
  run.attached = true;
  say_log_limit(name, run);
  return std::exchange(sightings, {});
}

// Brings the holder at the other end, a new one perhaps, to know what this client knows.
void HolderClient::Impl::restore() {
  std::vector<std::string> missing;
  for (const auto& [name, run] : runs) {
    if (run.driven && !run.attached) missing.push_back(name);
  }
  for (const std::string& name : missing) restore_run(name);
  deliver();
}

void HolderClient::Impl::restore_run(const std::string& name) {
  const auto sighted = attach(name);
  if (!sighted) {
    pause.expires_after(patience);
    pause.async_wait(weakly([](Impl& self, const error_code& error) {
      if (!error) self.restore();
    }));
    return;
  }
  std::set<AttemptKey> seen;
  for (const HolderSighting& one : *sighted) {
    seen.insert(one.sighting.key);
    if (one.sighting.kind == Sighting::Kind::exited && open.contains(one.sighting.key)) {
      notify(AttemptExitedNotice{one.sighting.record});
    }
    take_up(one);
  }
  reconcile(name, seen);
}

void HolderClient::Impl::take_up(const HolderSighting& seen) {
  const AttemptKey& key = seen.sighting.key;
  if (seen.sighting.kind == Sighting::Kind::exited) {
    open.erase(key);
    return;
  }
  OpenAttempt& attempt = open[key];
  attempt.grace = seen.grace;
  if (attempt.stopping) say_stop(key, *attempt.stopping);
}

// What the holder has not seen either ended, was never started, or ran under a holder that is dead.
void HolderClient::Impl::reconcile(const std::string& name, const std::set<AttemptKey>& seen) {
  DrivenRun& run = run_of(name);
  run.log.refresh();
  if (run.frozen) say({"freeze", name});
  if (run.wake) say_wake(name, run);
  for (auto place = open.begin(); place != open.end();) {
    const auto& [key, attempt] = *place;
    const HeldLog::Key held{key.step, key.attempt};
    if (key.run != name || seen.contains(key)) {
      ++place;
    } else if (const ExitRecord* const record = run.log.exit(held)) {
      notify(AttemptExitedNotice{*record});
      place = open.erase(place);
    } else if (run.log.started(held) || (attempt.stopping && !attempt.spec)) {
      say_stop(key, attempt.stopping.value_or(attempt.grace));
      ++place;
    } else if (attempt.spec) {
      say(spawn_message(*attempt.spec));
      if (attempt.stopping) say_stop(key, *attempt.stopping);
      ++place;
    } else {
      notify(AttemptLostNotice{key});
      place = open.erase(place);
    }
  }
}

void HolderClient::Impl::lost(const AttemptKey& key) {
  HeldLog& log = run_of(key.run).log;
  log.refresh();
  open.erase(key);
  if (const ExitRecord* const record = log.exit({key.step, key.attempt})) {
    notify(AttemptExitedNotice{*record});
  } else {
    notify(AttemptLostNotice{key});
  }
}

void HolderClient::Impl::notify(HostNotice notice) {
  inbox.push_back(std::move(notice));
  post_delivery();
}

void HolderClient::Impl::post_delivery() {
  if (std::exchange(delivery_posted, true)) return;
  asio::post(loop, weakly([](Impl& self) { self.deliver(); }));
}

// What the listener answers goes out in one piece. If there is much to hear, it may do something about it in between.
void HolderClient::Impl::deliver() {
  constexpr int at_once_max = 64;
  delivery_posted = false;
  corked = true;
  for (int n = 0; n < at_once_max && !inbox.empty() && sink; ++n) {
    const HostNotice notice = std::move(inbox.front());
    inbox.pop_front();
    sink(notice);
  }
  corked = false;
  if (!inbox.empty() && sink) post_delivery();
  if (connected() && !out.empty() && !watches_output && !flush()) drop();
}

HolderClient::HolderClient(asio::io_context& loop, HolderOptions options)
    : impl_(std::make_shared<Impl>(loop, std::move(options))) {}

HolderClient::~HolderClient() {
  if (impl_->connected() && !impl_->out.empty()) impl_->flush();
}

void HolderClient::listen(std::function<void(const HostNotice&)> sink) { impl_->sink = std::move(sink); }

Expected<std::vector<Sighting>> HolderClient::attach(const std::string& run) {
  const auto sighted = impl_->attach(run);
  if (!sighted) return std::unexpected(sighted.error());
  DrivenRun& driven = impl_->run_of(run);
  driven.driven = true;
  std::vector<Sighting> out;
  std::set<AttemptKey> seen;
  for (const HolderSighting& one : *sighted) {
    impl_->take_up(one);
    driven.frozen = driven.frozen || one.sighting.frozen;
    seen.insert(one.sighting.key);
    out.push_back(one.sighting);
  }
  driven.log.refresh();
  for (const auto& [key, record] : driven.log.exits()) {
    // Where the holder still sees it alive, its root ended but something it started did not yet.
    if (!seen.insert(record.key).second) continue;
    impl_->open.erase(record.key);
    out.push_back({.key = record.key,
                   .kind = Sighting::Kind::exited,
                   .pid = record.pid,
                   .started = record.started,
                   .record = record});
  }
  impl_->reconcile(run, seen);
  return out;
}

bool HolderClient::was_started(const AttemptKey& key) {
  HeldLog& log = impl_->run_of(key.run).log;
  log.refresh();
  return log.started({key.step, key.attempt});
}

std::uint64_t HolderClient::work_done(const AttemptKey& key) {
  ProcessTree tree{0, mark_of(key.run, key.step, key.attempt)};
  std::uint64_t ticks = 0;
  for (const Process& p : tree.members(impl_->processes_now())) ticks += p.cpu;
  return ticks;
}

void HolderClient::spawn(const SpawnSpec& spec) {
  if (spec.after && !impl_->takes_conditions) {
    return impl_->notify(AttemptExitedNotice{{.key = spec.key, .stopped = true}});
  }
  if (!spec.request_path.empty() && !impl_->takes_calls) {
    const char* const why = "the holder that runs is of an earlier version of Baton: wait until its runs have ended";
    return impl_->notify(AttemptExitedNotice{{.key = spec.key, .spawn_error = why}});
  }
  impl_->open[spec.key] = {.spec = spec, .grace = spec.grace};
  impl_->say_later(spawn_message(spec));  // many are asked for at once
}

void HolderClient::stop(const AttemptKey& key, Millis grace) {
  impl_->open[key].stopping = grace;
  impl_->say_stop(key, grace);
}

void HolderClient::set_slots(const std::string& run, int slots) {
  for (auto& [key, kept] : impl_->open) {
    if (key.run == run && kept.spec) kept.spec->slots = slots;
  }
  impl_->say({"slots", run, std::to_string(slots)});
}

void HolderClient::limit_logs(const std::string& run, std::int64_t bytes_max) {
  DrivenRun& driven = impl_->run_of(run);
  driven.log_bytes_max = bytes_max;
  impl_->say_log_limit(run, driven);
}

void HolderClient::freeze(const std::string& run) {
  impl_->run_of(run).frozen = true;
  impl_->say({"freeze", run});
}

void HolderClient::thaw(const std::string& run) {
  impl_->run_of(run).frozen = false;
  impl_->say({"thaw", run});
}

void HolderClient::acknowledge(const AttemptKey& key) { impl_->say_later(key_message("ack", key)); }

void HolderClient::note(const AttemptKey& key) { impl_->say_later(key_message("note", key)); }

void HolderClient::wake_at(const std::string& run, std::optional<Time> when) {
  DrivenRun& driven = impl_->run_of(run);
  driven.wake = when;
  impl_->say_wake(run, driven);
}

void HolderClient::detach(const std::string& run) {
  impl_->say({"detach", run});
  std::erase_if(impl_->open, [&](const auto& entry) { return entry.first.run == run; });
  impl_->runs.erase(run);
}

bool HolderClient::wake_now(const std::string& run) {
  if (!impl_->connected()) {
    Descriptor link = connect_to_holder(impl_->options.state_dir);
    if (!link) return false;
    impl_->adopt(link.release());
  }
  impl_->waking.reset();
  impl_->say({"wake-now", run});
  const SteadyTime until = std::chrono::steady_clock::now() + patience;
  return impl_->converse([&] { return impl_->waking.has_value(); }, until) && *impl_->waking;
}

}  // namespace baton

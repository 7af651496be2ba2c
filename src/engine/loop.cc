#include "engine/loop.h"

#include <fcntl.h>
#include <unistd.h>

#include <sys/inotify.h>
#include <sys/stat.h>

#include <array>
#include <csignal>
#include <utility>

#include "host/asio.h"
#include "io/descriptor.h"

namespace baton {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {
constexpr Millis outputs_every{100};
constexpr std::chrono::microseconds output_look{200};  // of many, each is looked at more rarely
// To stop watching a file takes the system some 15 ms, which a short run would end with. So a young one looks by
// itself.
constexpr Millis young_for{2000};
constexpr Millis young_look_every{100};
constexpr Millis refresh_every{100};
// A wake stays this long after the last news: steps that follow each other quickly need not start it anew each time.
constexpr Millis linger{1000};
// Whoever is to leave at once leaves after this long, though what it had started was not heard of yet.
constexpr Millis at_once_max{150};
// A clock that was set back must not let a timer sleep for ever.
constexpr Millis sleep_max{60'000};
}  // namespace

struct Loop::Parts {
  Parts(asio::io_context& c, Engine& e, Clock& k, Options o)
      : context(c),
        engine(e),
        clock(k),
        options(std::move(o)),
        begun(k.now()),
        signals(c, SIGINT, SIGTERM, SIGHUP),
        due(c),
        outputs(c),
        lease(c),
        youth(c),
        refresh(c),
        idle(c),
        bell(c) {}

  asio::io_context& context;
  Engine& engine;
  Clock& clock;
  Options options;
  Time begun;
  std::optional<Result> result;
  asio::signal_set signals;
  asio::steady_timer due, outputs, lease, youth, refresh, idle;
  asio::posix::stream_descriptor bell;
  std::array<char, 4096> bell_buffer{};
  off_t rung = 0;             ///< how often, when it was last looked at
  std::optional<Time> armed;  ///< what `due` waits for
  bool outputs_armed = false;
  bool idle_armed = false;
  bool news = false;
  bool queued = false;  ///< the run waits for a place

  /// Everything that is ready now goes into one commit, but for what would keep the first of many waiting for the last.
  void take_news() {
    while (!engine.has_much_to_do() && context.poll_one() > 0) continue;
  }

  void hear_signals() {
    signals.async_wait([this](error_code error, int signal) {
      if (error) return;
      const bool dealt_with = signal == SIGINT && options.on_interrupt && options.on_interrupt();
      if (!dealt_with && !result) result = Result{End::interrupted, signal == SIGINT ? SIGINT : SIGTERM};
      hear_signals();
    });
  }

  void hang_bell() {
    (void)open_file(options.bell, O_WRONLY | O_CREAT | O_NOFOLLOW, 0600);
    rung = times_rung();
    hear_requests();
    grow_up();
  }

  /// Whoever rings it writes a byte.
  off_t times_rung() const {
    struct stat info{};
    return ::stat(options.bell.c_str(), &info) == 0 ? info.st_size : 0;
  }

  void grow_up() {
    youth.expires_after(young_look_every);
    youth.async_wait([this](error_code error) {
      if (error || result) return;
      const bool grown = clock.now() - begun >= young_for;
      if (grown) hear_bell();
      if (const off_t now = times_rung(); std::exchange(rung, now) != now) hear_requests();
      if (!grown) grow_up();
    });
  }

  /// What was asked for since somebody last listened is heard before anybody leaves. True: there is something to do.
  bool hears_more() {
    hear_requests();
    return result || engine.has_news();
  }

  void hear_bell() {
    const int fd = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (fd < 0) return;
    ::inotify_add_watch(fd, options.bell.c_str(), IN_MODIFY | IN_CLOSE_WRITE);
    bell.assign(fd);
    wait_for_bell();
  }

  void wait_for_bell() {
    bell.async_read_some(asio::buffer(bell_buffer), [this](error_code error, std::size_t) {
      if (error) return;
      hear_requests();
      wait_for_bell();
    });
  }

  void hear_requests() {
    if (auto heard = engine.hear_requests(options.run); !heard && !result) {
      result = Result{End::broken, 0, heard.error()};
    }
  }

  void renew() {
    lease.expires_after(options.lease_lasts / 3);
    lease.async_wait([this](error_code error) {
      if (error || result) return;
      if (auto renewed = engine.renew_leases(); !renewed) result = Result{End::broken, 0, renewed.error()};
      hear_requests();  // in case a bell was not heard
      renew();
    });
  }

  void refresh_view() {
    if (!options.on_refresh) return;
    refresh.expires_after(refresh_every);
    refresh.async_wait([this](error_code error) {
      if (error || result) return;
      options.on_refresh();
      refresh_view();
    });
  }
};

Loop::Loop(asio::io_context& context, Engine& engine, Clock& clock, Options options)
    : parts_(std::make_unique<Parts>(context, engine, clock, std::move(options))) {}
Loop::~Loop() = default;

void Loop::leave(End end, int signal) {
  if (!parts_->result) parts_->result = Result{end, signal};
}

Loop::Result Loop::run() {
  Parts& p = *parts_;
  p.hear_signals();
  p.hang_bell();
  p.renew();
  p.refresh_view();
  pump();
  while (!p.result) {
    p.context.run_one();
    p.take_news();
    pump();
  }
  return *p.result;
}

void Loop::pump() {
  Parts& p = *parts_;
  while (!p.result && p.engine.needs_tick(p.clock.now())) {
    p.news = true;
    if (auto done = p.engine.tick(); !done) p.result = Result{End::broken, 0, done.error()};
    if (!p.result) p.take_news();  // also where one tick follows another: signals, requests, the lease
  }
  check_settled();
  if (!p.result) rearm();
}

void Loop::check_settled() {
  Parts& p = *parts_;
  if (p.result || p.engine.has_news()) return;
  const Run* run = p.engine.run(p.options.run);
  const bool waits = run != nullptr && run->state() == RunState::parked && !p.options.leave_when_parked;
  const bool goes_on =
      waits || (run != nullptr && (run->state() == RunState::running || run->state() == RunState::queued));
  if (goes_on) return;
  if (p.hears_more()) return asio::post(p.context, [] {});  // so that it is done now
  p.result = Result{End::settled};
}

void Loop::rearm() {
  Parts& p = *parts_;
  // Only for something sooner: a wait that has become needless ends by itself, and ending it early would wake the loop.
  if (const auto due = p.engine.next_due(); due && (!p.armed || *due < *p.armed)) {
    p.armed = due;
    p.due.expires_after(std::clamp(*due - p.clock.now(), Millis{0}, sleep_max));
    p.due.async_wait([this](error_code error) {
      if (!error) parts_->armed.reset();  // waking up is all it is for: pump() follows
    });
  }
  if (const std::size_t open = p.outputs_armed ? 0 : p.engine.open_outputs(); open > 0) {
    p.outputs_armed = true;
    p.outputs.expires_after(std::max<std::chrono::microseconds>(outputs_every, output_look * open));
    p.outputs.async_wait([this](error_code error) {
      parts_->outputs_armed = false;
      if (!error) parts_->engine.read_outputs();
    });
  }
  // Workers that end as quickly as others start would keep it here for ever: those are for whoever is woken.
  const bool long_enough = p.clock.now() - p.begun > at_once_max;
  if (p.options.leave_at_once && p.engine.is_seen_to(p.options.run, long_enough)) {
    return p.hears_more() ? asio::post(p.context, [] {}) : leave(End::left, 0);
  }
  if (!p.options.leave_when_idle) return;
  // Looking for a place again and again is no news.
  const Run* driven = p.engine.run(p.options.run);
  const bool queued = driven != nullptr && driven->wants_place();
  if (std::exchange(p.queued, queued) && queued) p.news = false;
  if (p.news || !p.idle_armed) {
    p.news = false;
    p.idle_armed = true;
    p.idle.expires_after(linger);
    p.idle.async_wait([this](error_code error) {
      Engine& engine = parts_->engine;
      const std::string& id = parts_->options.run;
      if (error || engine.has_inner_attempts(id)) return;
      if (!engine.will_be_woken(id) && !engine.can_wait_alone(id)) return;
      if (!parts_->hears_more()) leave(End::left, 0);
    });
  }
}

}  // namespace baton

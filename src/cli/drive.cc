#include "cli/drive.h"

#include <fcntl.h>
#include <unistd.h>

#include <fmt/core.h>

#include <cmath>
#include <csignal>

#include "cli/agent_settings.h"
#include "cli/project_dialects.h"
#include "cli/project_skills.h"
#include "cli/question.h"
#include "cli/reporter.h"
#include "cli/requests.h"
#include "cli/session/session_end.h"
#include "cli/workspace/workspace_end.h"
#include "engine/engine.h"
#include "engine/loop.h"
#include "engine/real_files.h"
#include "engine/run_folder.h"
#include "engine/runtime_choice.h"
#include "host/asio.h"
#include "host/holder_client.h"
#include "host/program_path.h"
#include "io/descriptor.h"
#include "io/environment.h"
#include "io/identity.h"
#include "io/program.h"
#include "view/run_facts.h"

namespace baton::cli {
namespace {

/// A run in the queue that nobody drives is woken when there is room; should that fail, it looks by itself so often.
constexpr Millis queue_look_every{30'000};

std::vector<std::string> wake_argv(const Project& project, const std::string& run) {
  return {sibling_program("baton"), "wake", run, "-C", project.root(), "--state-dir", project.state_dir()};
}

/// What attempts and wakes inherit. The marks of a step that this process itself may run in are taken out.
std::vector<std::string> attempt_environment() {
  std::vector<std::string> env;
  for (const std::string& entry : own_environment()) {
    const std::string_view name = std::string_view{entry}.substr(0, entry.find('='));
    const bool step_mark = name == "BATON_RUN" || name == "BATON_STEP" || name == "BATON_ATTEMPT" ||
                           name == "BATON_OUTPUT" || name == "BATON_FOLDER" || name == "BATON_SESSION" ||
                           name == "BATON_ROLE" || name == "BATON_CALLBACK" || name.starts_with("BATON_INPUT") ||
                           name.starts_with("BATON_VALUE_");
    if (!step_mark) env.push_back(entry);
  }
  return env;
}

Engine::Terms terms_for(const Project& project, std::function<void(const Call&)> call) {
  const ProcessIdentity self = own_identity();
  Engine::Terms terms;
  terms.self.owner = self.text();
  terms.self.host = self.host;
  terms.self.pid = self.pid;
  terms.boot = boot_id();
  terms.root = project.root();
  terms.state_dir = project.state_dir();
  terms.program = sibling_program("baton");
  terms.lease_lasts = project.config().duration("limits.lease").value_or(Millis{15'000});
  terms.is_dead = [](const Lease& lease) { return is_certainly_dead(lease.owner); };
  terms.call = std::move(call);
  return terms;
}

HolderOptions holder_options(const Project& project) {
  HolderOptions options;
  options.state_dir = project.state_dir();
  options.program = sibling_program("baton-holder");
  options.project_dir = project.root();
  options.held_log = [dir = project.state_dir()](const std::string& run) { return run_folder(dir, run).held_log(); };
  options.wake_argv = [&project](const std::string& run) { return wake_argv(project, run); };
  options.environment = attempt_environment();
  return options;
}

class SilentReporter final : public Reporter {
 public:
  explicit SilentReporter(const Common& common) : common_(common) {}
  void announced(const std::string&, const Run&, const command::Announce&, Time) override {}
  void said(const std::string&, const Run&, StepIndex, int, std::string_view, Time) override {}
  void close(const Run*, bool) override {}
  void warned(const std::string& /*id*/, const Fault& fault) override { print(common_, fault); }

 private:
  const Common& common_;
};

/// The parts of one drive, put together.
class Drive {
 public:
  Drive(const Project& project, SqliteJournal& journal, DriveOrder order)
      : project_(project),
        order_(std::move(order)),
        folder_(run_folder(project.state_dir(), order_.run)),
        host_(context_, holder_options(project)),
        reporter_(order_.silent ? std::make_unique<SilentReporter>(project.common())
                                : make_reporter(project.common(), order_.run, {project.root(), folder_.path}, clock_)),
        skills_(project),
        agents_(project, skills_),
        dialects_(project, skills_, agents_),
        runtimes_(agents_),
        engine_({journal, host_, clock_, files_, runtimes_, reporter_.get(), &dialects_},
                terms_for(project, [this](const Call& call) { tell(call); })) {}

  Expected<int> run() {
    if (auto begun = begin(); !begun) return std::unexpected(begun.error());
    if (auto shown = show_others(); !shown) return std::unexpected(shown.error());
    Loop loop{context_, engine_, clock_, loop_options()};
    loop_ = &loop;
    const Loop::Result result = loop.run();
    loop_ = nullptr;
    return leave(result);
  }

 private:
  Status begin() {
    if (order_.created) {
      engine_.share(shared_limits(project_.config()));
      return engine_.create(order_.run, std::move(*order_.created));
    }
    if (auto taken = engine_.take(order_.run); !taken) return taken;
    engine_.share(shared_limits(agents_.config_for(*engine_.run(order_.run))));
    if (order_.first) {
      auto answer = order_.first(*engine_.run(order_.run));
      if (!answer) {
        (void)engine_.release(order_.run);
        return std::unexpected(answer.error());
      }
      order_.asks.push_back(std::move(*answer));
    }
    follow_project(engine_.run(order_.run)->settings());
    for (EventBody& ask : order_.asks) engine_.post(order_.run, std::move(ask));
    return {};
  }

  /// From now on others see in the journal that this run is at work.
  Status show_others() {
    if (!order_.turn) return {};
    auto recorded = engine_.tick();
    order_.turn->give();
    if (!recorded) (void)engine_.release(order_.run);
    return recorded;
  }

  /// The project may have been moved since: what is recorded of the run's places is to be where they are now.
  void follow_project(RunSettings settings) {
    if (!move_places(settings)) return;
    for (EventBody& ask : order_.asks) {
      if (auto* changed = std::get_if<event::SettingsChanged>(&ask)) (void)move_places(changed->settings);
    }
    order_.asks.insert(order_.asks.begin(), event::SettingsChanged{std::move(settings)});
  }
  bool move_places(RunSettings& settings) const {
    const RunSettings before = settings;
    const auto place = [&](const char* option, const std::string& path) {
      if (settings.options.contains(option)) settings.options[option] = path;
    };
    place("folder", folder_.path);
    place("worktree", project_.worktrees() + "/" + order_.run);
    return settings != before;
  }

  /// A run that waits may go now. One that nobody drives is woken by the holder, as its own process told it to.
  void tell(const Call& call) {
    if (call.driven) return ring(project_, call.run);
    if (!host_.wake_now(call.run)) (void)start_in_background(project_, call.run);
  }

  Loop::Options loop_options() {
    Loop::Options options;
    options.run = order_.run;
    options.bell = folder_.bell();
    options.lease_lasts = project_.config().duration("limits.lease").value_or(Millis{15'000});
    options.leave_when_idle = order_.only_what_is_due;
    options.leave_at_once = order_.leave_at_once;
    options.leave_when_parked = order_.no_wait;
    if (reporter_->wants_refresh()) options.on_refresh = [this] { reporter_->refresh(); };
    if (!order_.silent && !order_.unasked && can_ask(project_.common()))
      options.on_interrupt = [this] { return interrupted(); };
    return options;
  }

  /// Ctrl-C on a terminal. Once: nothing new starts and the user is asked; twice: everything is stopped.
  bool interrupted() {
    const Run* run = engine_.run(order_.run);
    if (run == nullptr || (run->in_flight() == 0 && !asked_)) return false;
    if (asked_) {
      reporter_->hold(false);
      engine_.post(order_.run, event::CancelAsked{"Ctrl-C"});
      return true;
    }
    asked_ = true;
    engine_.hold(true);
    reporter_->hold(true);
    question_ = std::make_unique<Question>(
        context_,
        fmt::format("\n{}. Let them go on under the holder [Enter], or stop them [s]? Ctrl-C again stops all. ",
                    attempts_at_work(*run)),
        [this](const std::string& answer) {
          reporter_->hold(false);
          if (answer.starts_with('s') || answer.starts_with('S')) {
            engine_.post(order_.run, event::CancelAsked{"the user"});
          } else if (loop_ != nullptr) {
            loop_->leave(Loop::End::interrupted, SIGINT);
          }
        });
    return true;
  }

  Expected<int> leave(const Loop::Result& result) {
    const Run* run = engine_.run(order_.run);
    reporter_->close(run, result.end == Loop::End::interrupted);
    int code = run == nullptr ? exit_failed : exit_code_of(run->state());
    const bool stays_in_queue = result.end == Loop::End::left && run != nullptr && run->wants_place();
    if (result.end == Loop::End::left) {
      host_.wake_at(order_.run, stays_in_queue ? clock_.now() + queue_look_every : engine_.next_due());
    }
    // Somebody chose that nothing new starts: then no wake may start anything either.
    if (result.end == Loop::End::interrupted) host_.detach(order_.run);
    if (result.end == Loop::End::broken) {
      if (result.fault->code != "lease-lost") (void)engine_.release(order_.run);
      return std::unexpected(*result.fault);
    }
    if (result.end == Loop::End::settled && run != nullptr) {
      end_workspace(project_, *run);
      code = end_session(project_, *run, code);
    }
    // Last: if this process dies before all is as the record says, it is woken for that.
    if (result.end == Loop::End::settled) host_.detach(order_.run);
    auto released = stays_in_queue ? engine_.release_into_queue(order_.run) : engine_.release(order_.run);
    if (!released) return std::unexpected(released.error());
    if (order_.left != nullptr) *order_.left = std::move(*released);
    if (result.end == Loop::End::interrupted) return 128 + result.signal;
    return code;
  }

  const Project& project_;
  DriveOrder order_;
  RunFolder folder_;
  boost::asio::io_context context_;
  RealClock clock_;
  RealFiles files_;
  HolderClient host_;
  std::unique_ptr<Reporter> reporter_;
  ProjectSkills skills_;
  ProjectAgents agents_;
  ProjectDialects dialects_;
  RuntimeChoice runtimes_;
  Engine engine_;
  Loop* loop_ = nullptr;
  bool asked_ = false;
  std::unique_ptr<Question> question_;
};

}  // namespace

Expected<int> drive(const Project& project, SqliteJournal& journal, DriveOrder order) {
  return Drive{project, journal, std::move(order)}.run();
}

void complete_files(const Project& project, SqliteJournal& journal, const std::string& run) {
  DriveOrder order;
  order.run = run;
  order.only_what_is_due = true;
  order.silent = true;
  (void)drive(project, journal, std::move(order));  // one that is driven is in good hands
}

int exit_code_of(RunState state) {
  switch (state) {
    case RunState::completed:
    case RunState::accepted:
      return exit_done;
    case RunState::failed:
      return exit_failed;
    case RunState::reviewing:
      return exit_waiting;
    case RunState::paused:
      return exit_paused;
    case RunState::cancelled:
    case RunState::rejected:
      return exit_cancelled;
    case RunState::parked:
      return exit_parked;
    case RunState::queued:
    case RunState::running:
      break;
  }
  return exit_done;
}

SharedLimits shared_limits(const Config& config) {
  SharedLimits limits;
  limits.concurrent_runs = config.integer("limits.concurrent_runs").value_or(0);
  limits.concurrent_steps = config.integer("limits.concurrent_steps").value_or(0);
  limits.rate_limit_backoff = config.duration("limits.rate_limit_backoff").value_or(limits.rate_limit_backoff);
  const auto budget = [&](const char* key) {
    const auto usd = config.number(key);
    return usd ? std::optional{Cost{std::llround(*usd * 1e9)}} : std::nullopt;
  };
  limits.day_budget = budget("limits.budget_day_usd");
  limits.month_budget = budget("limits.budget_month_usd");
  limits.workspace_budget = budget("workspace.budget_usd");
  return limits;
}

void ring(const Project& project, const std::string& run) {
  const Descriptor bell = open_file(run_folder(project.state_dir(), run).bell(), O_WRONLY | O_APPEND | O_NOFOLLOW);
  if (bell) (void)!::write(bell.get(), "!", 1);
}

void wake(const Project& project, SqliteJournal& journal, const std::string& run) {
  ring(project, run);
  if (const auto driver = living_driver(journal, run); driver && *driver) return;
  boost::asio::io_context context;
  HolderClient holder{context, holder_options(project)};
  if (!holder.wake_now(run)) (void)start_in_background(project, run);
}

Status start_in_background(const Project& project, const std::string& run) {
  const std::string log = run_folder(project.state_dir(), run).path + "/wake.log";
  const auto pid = start_program({.argv = wake_argv(project, run),
                                  .env = attempt_environment(),
                                  .cwd = project.root(),
                                  .stdout_path = log,
                                  .stderr_path = log});
  if (!pid)
    return fault("wake-not-started", fmt::format("cannot start a wake: {}", pid.error()),
                 "start it: 'baton resume " + run + "'");
  return {};
}

}  // namespace baton::cli

#include "holder/keeper.h"

#include <string.h>

#include <fmt/core.h>
#include <sys/wait.h>

#include <algorithm>

namespace baton {
namespace {

constexpr std::int64_t logs_looks_apart_ms = 1000;

/// All attempts are looked at in the same moment, however many there are.
std::int64_t next_look(std::int64_t now) { return (now / logs_looks_apart_ms + 1) * logs_looks_apart_ms; }

bool holds(const std::vector<Process>& processes, pid_t pid) {
  return std::ranges::any_of(processes, [&](const Process& process) { return process.pid == pid; });
}

}  // namespace

std::string Attempt::mark() const { return mark_of(run.name, step, number); }

Message Attempt::exited_notice() const {
  Message notice{"exited", run.name, traced ? "written" : "unwritten"};
  notice.insert(notice.end(), record.begin() + 1, record.end());
  return notice;
}

Message Attempt::end_notice() const {
  return lost ? Message{"lost", run.name, step, std::to_string(number)} : exited_notice();
}

Attempt* Keeper::follower_of(const Attempt& attempt) {
  if (!attempt.followed) return nullptr;
  for (auto& [key, other] : attempt.run.attempts) {
    if (other.after == std::pair{attempt.step, attempt.number}) return &other;
  }
  return nullptr;
}

// The end is on record. What was asked for on this condition starts as if it were asked for now, or never.
void Keeper::let_follow(Attempt& attempt) {
  Attempt* const follower = follower_of(attempt);
  if (follower == nullptr) return;
  if (attempt.took_ms >= follower->within_ms) return drop(*follower);
  follower->after = {};
  attempt.run.waiting.push_back(follower);
  start_waiting(attempt.run);
}

void Keeper::drop(Attempt& attempt) {
  Run& run = attempt.run;
  std::erase(run.waiting, &attempt);
  attempt.stopped = attempt.recorded = true;  // it never ran: there is nothing to write
  record_end(attempt, nullptr, {});
  run.tell(attempt.exited_notice());
  if (Attempt* const follower = follower_of(attempt)) drop(*follower);
  run.attempts.erase({attempt.step, attempt.number});
}

void Keeper::start_waiting(Run& run) {
  while (!run.frozen && !run.waiting.empty()) {
    Attempt& next = *run.waiting.front();
    if (next.slots > 0 && run.running >= next.slots) return;
    run.waiting.pop_front();
    start(next);
  }
}

void Keeper::start(Attempt& attempt) {
  Run& run = attempt.run;
  attempt.started_ms = wall_ms();
  const Message trace{"start", attempt.step, std::to_string(attempt.number), std::to_string(attempt.started_ms)};
  if (const int error = run.log.append(trace); error != 0) {
    attempt.recorded = true;  // as far as it can be: nothing ran that a missing record could hide
    return fail_to_start(attempt, fmt::format("{}: {}", ::strerror(error), run.log.path()));
  }
  attempt.traced = true;
  if (attempt.is_call()) return start_call(attempt);
  attempt.program.altered_signals = signals_;
  attempt.logs.lend(run.logs, attempt.program, monotonic_ms());
  const auto pid = start_program(attempt.program);
  attempt.program = {};
  if (!pid) return fail_to_start(attempt, pid.error());
  attempt.tree.emplace(*pid, attempt.mark());
  roots_.emplace(*pid, &attempt);
  begin(attempt, *pid);
}

void Keeper::fail_to_start(Attempt& attempt, const std::string& why) {
  attempt.state = Attempt::State::ended;
  record_end(attempt, nullptr, why);
  attempt.logs.end(attempt.run.logs, true);
  announce(attempt);
}

void Keeper::begin(Attempt& attempt, pid_t pid) {
  Run& run = attempt.run;
  attempt.pid = pid;
  attempt.state = Attempt::State::alive;
  const std::int64_t now = monotonic_ms();
  if (attempt.deadline_ms > 0) attempt.deadline_at = now + attempt.deadline_ms;
  attempt.logs_look_at = next_look(now);
  live_.insert(&attempt);
  ++run.running;
  // Of a short attempt the driver hears the start and the end in one piece, and is not woken while it begins.
  run.tell({"started", run.name, attempt.step, std::to_string(attempt.number), std::to_string(pid),
            std::to_string(attempt.started_ms)},
           now + attempt.may_wait_ms(3));
}

void Keeper::reap() {
  std::vector<Attempt*> exited;
  bool orphans = false;
  for (;;) {
    siginfo_t info{};
    if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG) != 0 || info.si_pid == 0) break;
    if (const auto root = roots_.find(info.si_pid); root != roots_.end()) {
      exited.push_back(root->second);
      roots_.erase(root);
      note_exit(*exited.back(), info);
    } else if (const auto wake = wakes_.find(info.si_pid); wake != wakes_.end()) {
      Run& run = *wake->second;
      wakes_.erase(wake);
      wake_ended(run, info.si_code == CLD_EXITED && info.si_status == 0);
    } else if (courier_.owns(info.si_pid)) {
      lose_calls(courier_.reaped(info.si_pid));
    } else {
      orphans = true;
      orphans_.erase(info.si_pid);
    }
  }
  if (exited.empty() && !orphans) return;
  const std::vector<pid_t> left = strangers();
  for (Attempt* const attempt : exited) clear_up(*attempt, left);
  if (!orphans) return;
  for (Attempt* const attempt : std::vector<Attempt*>{live_.begin(), live_.end()}) {
    if (attempt->state == Attempt::State::leaving) clear_up(*attempt, left);
  }
}

void Keeper::note_exit(Attempt& attempt, const siginfo_t& info) {
  attempt.state = Attempt::State::leaving;
  attempt.tree->root_is_gone();
  record_end(attempt, &info, {});
}

void Keeper::record_end(Attempt& attempt, const siginfo_t* info, const std::string& spawn_error) {
  const bool exited = info != nullptr && info->si_code == CLD_EXITED;
  const std::int64_t now = wall_ms();
  const bool well = exited && info->si_status == 0 && !attempt.overran && !attempt.stopped;
  if (well) attempt.took_ms = now - attempt.started_ms;
  const std::string status = info != nullptr ? std::to_string(info->si_status) : "-";
  attempt.record = {"exit",
                    attempt.step,
                    std::to_string(attempt.number),
                    std::to_string(attempt.pid),
                    exited ? status : "-",
                    exited ? "-" : status,
                    attempt.overran ? "1" : "0",
                    attempt.stopped ? "1" : "0",
                    std::to_string(attempt.started_ms),
                    std::to_string(now),
                    spawn_error};
  if (attempt.recorded) return;
  const int error = put_on_record(attempt);
  attempt.recorded = error == 0;
  if (attempt.recorded) return;
  unwritten_.push_back(&attempt);
  attempt.run.tell({"unrecorded", attempt.run.name, ::strerror(error)});
}

// What it printed can be found before its end is on record. 0, or the errno of why it is not.
int Keeper::put_on_record(Attempt& attempt) {
  const bool went_wrong = attempt.pid != 0 && attempt.took_ms == never;
  const int error = attempt.logs.show(attempt.run.logs, went_wrong);
  return error != 0 ? error : attempt.run.log.append(attempt.record);
}

std::vector<pid_t> Keeper::strangers() const {
  std::vector<pid_t> found = own_children();
  std::erase_if(found, [&](pid_t pid) { return roots_.contains(pid) || wakes_.contains(pid) || courier_.owns(pid); });
  return found;
}

// What a dead root left behind is by now a child of ours or below one. So without a strange child nothing is left, and
// the usual exit costs one read instead of a walk through /proc.
void Keeper::clear_up(Attempt& attempt, const std::vector<pid_t>& strangers) {
  const std::string mark = attempt.mark();
  std::vector<pid_t> suspects;
  for (const pid_t pid : strangers) {
    const auto owner = orphans_.find(pid);
    if (owner == orphans_.end() || owner->second == mark) suspects.push_back(pid);
  }
  if (!attempt.stray && suspects.empty()) return settle(attempt, true);
  const ProcessTable table = look_at_processes(state_dir_);
  const std::vector<Process> members = attempt.tree->members(table);
  for (const pid_t pid : suspects) {
    const auto process = table.find(pid);
    if (process == table.end() || holds(members, pid)) continue;
    if (!process->second.mark.empty()) {
      orphans_[pid] = process->second.mark;
    } else if (live_.size() == 1) {
      attempt.tree->adopt(process->second);  // it hid whose it is, but there is nobody else it could be of
    }
  }
  end(attempt, attempt.grace_ms);
}

void Keeper::end(Attempt& attempt, std::int64_t grace_ms) {
  if (attempt.is_call()) return cancel(attempt, grace_ms);
  const std::int64_t kill_at = monotonic_ms() + grace_ms;
  if (!attempt.ending) attempt.ending.emplace(Attempt::Ending{.kill_at = kill_at});
  attempt.ending->kill_at = std::min(attempt.ending->kill_at, kill_at);
  pursue(attempt);
}

void Keeper::pursue(Attempt& attempt) {
  Attempt::Ending& ending = *attempt.ending;
  const std::int64_t now = monotonic_ms();
  if (attempt.is_call()) {  // the courier does not heed anybody any more
    courier_.kill(attempt.pid);
    ending.look_at = never;
    return;
  }
  std::vector<Process> members;
  if (now >= ending.kill_at) {
    members = freeze_trees({&*attempt.tree}, state_dir_);
    signal_all(members, SIGKILL);
  } else {
    members = attempt.tree->members(look_at_processes(state_dir_));
    std::vector<Process> unasked;
    for (const Process& member : members) {
      if (ending.asked.insert(member.pid).second) unasked.push_back(member);
    }
    signal_all(unasked, SIGTERM);
    signal_all(unasked, SIGCONT);  // what is stopped cannot heed it
  }
  if (members.empty() && attempt.state == Attempt::State::leaving) return settle(attempt);
  ending.look_at = now + ending.pause_ms;
  if (now < ending.kill_at) ending.look_at = std::min(ending.look_at, ending.kill_at);
  ending.pause_ms = std::min<std::int64_t>(ending.pause_ms * 2, 500);
}

void Keeper::settle(Attempt& attempt, bool hid_nothing) {
  Run& run = attempt.run;
  attempt.logs.end(run.logs, hid_nothing);
  live_.erase(&attempt);
  if (attempt.stray) {
    attempt.lost = true;
    run.tell(attempt.end_notice());
    run.attempts.erase({attempt.step, attempt.number});
    return;
  }
  attempt.state = Attempt::State::ended;
  attempt.ending.reset();
  attempt.tree.reset();
  --run.running;
  announce(attempt);  // goes out with the next turn of the loop, after the start below
  start_waiting(run);
}

void Keeper::announce(Attempt& attempt) {
  if (!attempt.recorded || attempt.state != Attempt::State::ended) return;
  ++attempt.run.news;
  attempt.run.tell(attempt.end_notice(), monotonic_ms() + attempt.may_wait_ms(0));
  let_follow(attempt);
}

std::int64_t Keeper::tick() {
  const std::int64_t now = monotonic_ms();
  return std::min({tend_attempts(now), retry_records(now), tend_wakes(now), tend_courier(now)});
}

std::int64_t Keeper::tend_attempts(std::int64_t now) {
  std::int64_t due = never;
  for (Attempt* const attempt : std::vector<Attempt*>{live_.begin(), live_.end()}) {
    const bool stands_still = attempt->run.frozen && !attempt->is_call();
    attempt->logs.show_in_time(now);
    if (!attempt->ending && now >= attempt->logs_look_at) look_at_logs(*attempt, now);
    if (!attempt->ending && !stands_still && now >= attempt->deadline_at) {
      attempt->overran = true;
      end(*attempt, attempt->grace_ms);
    } else if (attempt->ending && now >= attempt->ending->look_at) {
      pursue(*attempt);
    }
    if (!live_.contains(attempt)) continue;
    due = std::min(due, attempt->logs.due());
    if (attempt->ending) due = std::min(due, attempt->ending->look_at);
    if (!attempt->ending) due = std::min(due, attempt->logs_look_at);
    if (!attempt->ending && !stands_still) due = std::min(due, attempt->deadline_at);
  }
  return due;
}

/// One that prints without end fills the disk in no time: it does not get all of its grace.
void Keeper::look_at_logs(Attempt& attempt, std::int64_t now) {
  constexpr std::int64_t grace_max_ms = 1000;
  const std::int64_t most = attempt.run.log_bytes_max;
  attempt.logs_look_at = most > 0 ? next_look(now) : never;
  if (most <= 0 || attempt.logs.largest() <= most) return;
  attempt.stopped = true;
  end(attempt, std::min(attempt.grace_ms, grace_max_ms));
}

std::int64_t Keeper::retry_records(std::int64_t now) {
  if (unwritten_.empty()) return never;
  if (now < write_again_at_) return write_again_at_;
  std::vector<Attempt*> written;
  std::erase_if(unwritten_, [&](Attempt* attempt) {
    attempt->recorded = put_on_record(*attempt) == 0;
    if (attempt->recorded) written.push_back(attempt);
    return attempt->recorded;
  });
  for (Attempt* const attempt : written) announce(*attempt);
  write_again_at_ = now + 1000;
  return unwritten_.empty() ? never : write_again_at_;
}

}  // namespace baton

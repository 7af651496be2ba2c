#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"
#include "core/command.h"
#include "core/run.h"

namespace baton {

/// What time it is. The one place where it comes in.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time now() = 0;
};

/// The files of runs: prompts, logs, outputs.
class Files {
 public:
  virtual ~Files() = default;
  /// nullopt if there is no such file. Faults: file-too-large, file-unreadable.
  virtual Expected<std::optional<std::string>> read(const std::string& path, std::size_t bytes_max) = 0;
  /// What stands at and after `offset`, at most `bytes_max` of it; empty if there is nothing (yet).
  virtual std::string read_from(const std::string& path, std::uint64_t offset, std::size_t bytes_max) = 0;
  /// Whole or not at all: written beside and renamed. Makes missing folders.
  virtual Status write(const std::string& path, std::string_view content) = 0;
  /// The same, but whether it is still there after a power cut is sure only once sync() has answered.
  virtual Status write_soon(const std::string& path, std::string_view content) { return write(path, content); }
  /// For what nobody needs after a power cut, nor reads before this has answered.
  virtual Status write_brief(const std::string& path, std::string_view content) { return write(path, content); }
  /// All that was written soon is on disk. Together it takes hardly longer than one alone.
  virtual Status sync() { return {}; }
  /// Makes the folder that the file is to lie in, if it is missing. That it cannot be made shows when it is written.
  virtual void make_folder_for(const std::string& /*path*/) {}
  virtual Status append(const std::string& path, std::string_view content) = 0;
  /// The same, and nothing is ever added to it again: a file that says the same words may be known by this name, too.
  virtual Status append_last(const std::string& path, std::string_view content) { return append(path, content); }
  /// Keeps others who ask for the same file's guard away while the answer lives; null if somebody else has it now.
  virtual std::shared_ptr<void> guard(const std::string& /*path*/) { return std::make_shared<int>(0); }
  /// What lies at `from` lies at `to` from now on, in the place of what was there. Makes missing folders.
  virtual Status move(const std::string& from, const std::string& to) = 0;
  /// Something that is different whenever the file (or the list of a folder's files) was written, replaced or touched.
  virtual std::uint64_t stamp(const std::string& path) = 0;
  /// A file or a folder is there.
  virtual bool is_there(const std::string& path) { return stamp(path) != 0; }
  /// The file itself is a link, wherever that leads.
  virtual bool is_link(const std::string& /*path*/) { return false; }
  /// By links on its way a file of this path lies outside of all of `folders`.
  virtual bool leads_out(const std::string& /*path*/, const std::vector<std::string>& /*folders*/) { return false; }
};

/// Whoever watches a run. Told only of what is already on record.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void announced(const std::string& id, const Run& run, const command::Announce& what, Time at) = 0;
  virtual void said(const std::string& id, const Run& run, StepIndex step, int attempt, std::string_view text,
                    Time at) = 0;
  /// The run waits for a place: so many runs have to make room first.
  virtual void queued(const std::string& /*id*/, const Run& /*run*/, std::size_t /*before*/, Time /*at*/) {}
  /// Something is not well, but the run goes on.
  virtual void warned(const std::string& /*id*/, const Fault& /*fault*/) {}
};

}  // namespace baton

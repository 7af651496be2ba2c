#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "io/descriptor.h"
#include "io/program.h"

namespace baton {

/// A file that nobody finds, as it has no name yet.
class UnnamedFile {
 public:
  /// Its descriptor is -1 where the file system, or the system, has no such files.
  explicit UnnamedFile(const std::string& folder);

  int fd() const { return file_.get(); }
  bool is_empty() const;
  /// One more name. 0, or the errno of why not.
  int add_name(const std::string& path) const;
  /// Whoever had it may have set it up differently.
  void be_as_new() const;

 private:
  Descriptor file_;
};

/// Files for what the attempts of a run print. To make two of them costs a fifth of what it takes to start a program
/// and see to its end, and most commands print nothing. So they get their names when there is something in them, or
/// when the attempt has been at work for a moment; what stayed empty serves the next one (docs/decisions/0023).
class SpareLogs {
 public:
  struct Pair {
    UnnamedFile out;
    UnnamedFile err;
    bool are_empty() const { return out.is_empty() && err.is_empty(); }
  };
  /// Two files in that folder; none where they have to be opened by their names.
  std::optional<Pair> take(const std::string& folder);
  /// REQUIRES: they are empty, and no process has them open any more.
  void take_back(Pair pair, const std::string& folder);
  /// An empty file of that name, which nobody ever prints to. 0, or the errno of why not.
  int show_blank(const std::string& path);

 private:
  std::string folder_;  // all that is spare lies in this one
  std::vector<Pair> spare_;
  std::optional<UnnamedFile> blank_;
};

/// What one attempt prints to, as long as that has no name.
class AttemptLogs {
 public:
  /// Where its output is to be found, of an attempt to which nothing is lent.
  void lie_at(std::string out_path, std::string err_path);
  /// Bytes of the larger one. REQUIRES: it is at work, and for longer than until its output is to be found.
  std::int64_t largest() const;
  /// It is about to start: the program gets descriptors instead of paths, where there are such files.
  void lend(SpareLogs& spare, Program& program, std::int64_t now);
  /// It is at work: from `due` on (monotonic) its output is to be found.
  void show_in_time(std::int64_t now);
  std::int64_t due() const { return lent_ && !shown_ ? name_at_ : std::numeric_limits<std::int64_t>::max(); }
  /// It has ended: now its output is to be found, in any case. 0, or the errno of why it is not.
  int show(SpareLogs& spare, bool went_wrong);
  /// Nothing of it is alive any more. If it hid nothing, nobody can print any more to what it had.
  void end(SpareLogs& spare, bool hid_nothing);

 private:
  int give_names();

  std::optional<SpareLogs::Pair> lent_;
  std::string out_path_;
  std::string err_path_;
  std::int64_t name_at_ = 0;
  bool shown_ = false;
};

}  // namespace baton

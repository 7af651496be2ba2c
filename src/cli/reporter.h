#pragma once

#include <memory>
#include <string>

#include "cli/context.h"
#include "engine/seams.h"
#include "view/run_facts.h"

namespace baton::cli {

/// Tells the user what happens to a run while this process drives it.
class Reporter : public Observer {
 public:
  /// Called now and then, so that clocks and spinners move.
  virtual void refresh() {}
  /// Leaves the terminal alone while something else stands on it.
  virtual void hold(bool /*on*/) {}
  [[nodiscard]] virtual bool wants_refresh() const { return false; }
  /// The driver leaves: `interrupted` while the run is not settled.
  virtual void close(const Run* run, bool interrupted) = 0;
};

/// JSON lines on stdout, a live view on a terminal, or plain lines on stderr.
std::unique_ptr<Reporter> make_reporter(const Common& common, const std::string& id, const RunPlaces& places,
                                        Clock& clock);

/// Writes all of it; a reader that went away harms nobody.
void write_out(int fd, std::string_view text);

/// A line for people, on standard error; not for those who want less, or JSON.
void say(const Common& common, const std::string& text);

}  // namespace baton::cli

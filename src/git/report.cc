#include "git/report.h"

#include <fmt/core.h>

#include "base/boost_json.h"
#include "base/text.h"
#include "git/tree.h"
#include "text/json_members.h"

namespace baton::git {
namespace {

namespace json = boost::json;

/// Members in the order they are added.
class Line {
 public:
  Line& text(std::string_view key, std::string_view value) { return raw(key, json_quote(value)); }
  Line& texts(std::string_view key, const std::vector<std::string>& values) {
    std::vector<std::string> quoted;
    for (const std::string& value : values) quoted.push_back(json_quote(value));
    return raw(key, "[" + join(quoted, ",") + "]");
  }
  [[nodiscard]] std::string done() const { return "{" + members_ + "}"; }

 private:
  Line& raw(std::string_view key, const std::string& value) {
    members_ += fmt::format("{}{}:{}", members_.empty() ? "" : ",", json_quote(key), value);
    return *this;
  }
  std::string members_;
};

std::vector<std::string> texts_at(const json::object& object, std::string_view key) {
  std::vector<std::string> texts;
  const json::value* value = object.if_contains(key);
  if (value == nullptr || !value->is_array()) return texts;
  for (const json::value& each : value->get_array()) {
    if (each.is_string()) texts.emplace_back(each.get_string());
  }
  return texts;
}

TreeReport report_of(const Fault& fault) {
  TreeReport report;
  report.outcome = "fault";
  report.fault = fault;
  return report;
}

}  // namespace

std::string to_json(const TreeReport& report) {
  Line line;
  line.text("outcome", report.outcome);
  if (report.outcome == "fault") {
    return line.text("code", report.fault.code)
        .text("message", report.fault.message)
        .text("help", report.fault.help)
        .done();
  }
  if (report.outcome == "ready") line.text("head", report.head).texts("changed", report.changed);
  if (report.outcome == "committed") line.text("commit", report.commit);
  if (report.outcome != "ready" && report.outcome != "nothing") line.texts("files", report.files);
  if (report.outcome == "conflict") line.text("with", report.with);
  const bool always = report.outcome == "ready" || report.outcome == "conflict";
  if (always || !report.notes.empty()) line.texts("notes", report.notes);
  return line.done();
}

Expected<TreeReport> read_report(std::string_view line) {
  boost::system::error_code error;
  const json::value value = json::parse({line.data(), line.size()}, error);
  const json::object* object = error ? nullptr : value.if_object();
  TreeReport report;
  if (object != nullptr) report.outcome = string_at(*object, "outcome");
  bool known = false;
  for (const char* word : {"ready", "conflict", "committed", "nothing", "unresolved", "fault"}) {
    known = known || report.outcome == word;
  }
  if (!known) {
    return fault(
        "bad-tree-report",
        fmt::format("'baton tree' said something else than its report: {}", shorten(printable(trim(line)), 200)),
        "look at the log of the step; if baton was updated meanwhile, resume the run");
  }
  report.head = string_at(*object, "head");
  report.changed = texts_at(*object, "changed");
  report.files = texts_at(*object, "files");
  report.notes = texts_at(*object, "notes");
  report.with = string_at(*object, "with");
  report.commit = string_at(*object, "commit");
  report.fault.code = string_at(*object, "code");
  report.fault.message = string_at(*object, "message");
  report.fault.help = string_at(*object, "help");
  return report;
}

TreeReport report_of(const Expected<TreeState>& state) {
  if (!state) return report_of(state.error());
  TreeReport report;
  const bool ready = state->kind == TreeState::Kind::ready;
  report.outcome = ready ? "ready" : "conflict";
  report.head = state->head;
  report.changed = state->changed;
  report.files = state->conflicts;
  report.with = state->with;
  report.notes = state->notes;
  return report;
}

TreeReport report_of(const Expected<CommitState>& state) {
  if (!state) return report_of(state.error());
  TreeReport report;
  report.outcome = !state->unresolved.empty() ? "unresolved" : state->commit.empty() ? "nothing" : "committed";
  report.commit = state->commit;
  report.files = state->unresolved.empty() ? state->files : state->unresolved;
  report.notes = state->notes;
  return report;
}

}  // namespace baton::git

// The files of workflow sessions: lists, task files, the session's file, manifests. Reading must not fall over, and
// what an edit writes has to be readable and has to be left alone by the same edit.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/session/archive.h"
#include "dialect/session/flow_command.h"
#include "dialect/session/session_file.h"
#include "dialect/session/summary.h"
#include "dialect/session/task.h"
#include "dialect/session/task_edit.h"
#include "dialect/session/todo.h"
#include "dialect/session/todo_edit.h"
#include "dialect/session/variables.h"

namespace {

using namespace baton;
using namespace baton::session;

void require(bool holds) {
  if (!holds) std::abort();
}

void try_list(std::string_view text) {
  std::vector<TodoChange> all;
  for (const TodoTask& task : read_todo(text, "t").tasks) all.push_back({task.id, BoxState::completed, true});
  const std::string once = edit_todo(text, "t", all).text;
  require(edit_todo(once, "t", all).text == once);
}

void try_json(std::string_view text) {
  (void)read_task(text, "f", "IMPL-1");
  const StatusChange change{.to = "failed", .at = time_from_ms(0), .note = "why", .even_if_completed = true};
  if (const auto once = set_status(text, "f", change)) {
    const auto twice = set_status(*once, "f", change);
    require(twice.has_value());
  }
  if (const auto once = edit_session_file(text, "f", {.status = "active", .started = time_from_ms(0)})) {
    require(read_session_file(*once, "f")->status == "active");
  }
  const ArchiveEntry entry{.session = "WFS-a", .path = "p"};
  if (const auto once = add_to_manifest(std::string{text}, entry, "m")) {
    require(add_to_manifest(*once, entry, "m") == *once);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  try_list(text);
  try_json(text);
  (void)classify(text, {"/p", "s", "/q"});
  (void)fill_command(text, {{"a", {"1", "2"}}});
  (void)files_in_summary(text);
  return 0;
}

#include "dialect/session/context_package.h"

#include <algorithm>

#include "base/boost_json.h"
#include "text/json_members.h"
#include "text/json_patch.h"

namespace baton::session {
namespace {

namespace json = boost::json;

constexpr const char* role_type = "individual_role_analysis";

bool is_promise(const Artifact& artifact) {
  return artifact.path.empty() || artifact.path.find("{{") != std::string::npos;
}

void add(std::vector<Artifact>& out, std::string type, std::string source, std::string path, std::string priority) {
  if (path.empty()) return;
  out.push_back({std::move(type), std::move(source), std::move(path), std::move(priority), {}, {}});
}

/// `{path}`, `{files: [{path}]}` or just a path.
void add_role(std::vector<Artifact>& out, const json::value& role) {
  const auto* object = role.if_object();
  if (object == nullptr) return add(out, role_type, {}, as_text(role), "low");
  const std::string name = text_at(*object, {"role"});
  add(out, role_type, name, text_at(*object, {"path"}), "low");
  const json::value* files = value_at(*object, "files");
  if (files == nullptr) return;
  for (const json::value* file : as_list(*files)) {
    const auto* entry = file->if_object();
    add(out, role_type, name, entry == nullptr ? as_text(*file) : text_at(*entry, {"path"}), "low");
  }
}

}  // namespace

std::vector<Artifact> artifacts_of_package(std::string_view text) {
  std::vector<Artifact> out;
  const auto object = read_object(text, "context-package.json", "corrupt-plan-file");
  if (!object) return out;
  const auto path_of = [&](std::string_view key) {
    const json::value* value = value_at(*object, key);
    if (value == nullptr) return std::string{};
    const auto* entry = value->if_object();
    if (entry == nullptr) return as_text(*value);
    return text_at(*entry, {"exists"}) == "false" ? std::string{} : text_at(*entry, {"path"});
  };
  add(out, "synthesis_specification", {}, path_of("brainstorm_artifacts.synthesis_output"), "highest");
  add(out, "guidance_specification", {}, path_of("brainstorm_artifacts.guidance_specification"), "medium");
  std::string conflicts = path_of("conflict_detection.resolution_file");
  if (conflicts.empty()) conflicts = path_of("brainstorm_artifacts.conflict_resolution");
  add(out, "conflict_resolution", {}, std::move(conflicts), "medium");
  if (const json::value* roles = value_at(*object, "brainstorm_artifacts.role_analyses")) {
    for (const json::value* role : as_list(*roles)) add_role(out, *role);
  }
  return out;
}

std::vector<Artifact> resolved(const std::vector<Artifact>& artifacts, const std::vector<Artifact>& package) {
  std::vector<Artifact> out;
  for (const Artifact& artifact : artifacts) {
    if (!is_promise(artifact)) {
      out.push_back(artifact);
      continue;
    }
    for (const Artifact& known : package) {
      if (known.type != artifact.type) continue;
      Artifact filled = artifact;
      filled.path = known.path;
      if (!known.source.empty()) filled.source = known.source;
      if (filled.priority.empty()) filled.priority = known.priority;
      const auto same = [&](const Artifact& other) { return other.path == filled.path; };
      if (std::ranges::none_of(out, same)) out.push_back(std::move(filled));
    }
  }
  return out;
}

}  // namespace baton::session

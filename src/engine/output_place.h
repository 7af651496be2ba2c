#pragma once

#include <optional>
#include <string>

#include "engine/seams.h"

namespace baton {

/// By links on the way to it the output would be written outside of the project. Agents and commands make links
/// as they like, so the path alone does not say where a file is. In words; nullopt if it lies where it should.
std::optional<std::string> why_outside(Files& files, const Work& work, const std::string& root);

/// What lies at the path of the output is no file of its own: it is a link, or was put elsewhere by one.
std::optional<CheckResult> why_not_its_own(Files& files, const Work& work, const std::string& root);

/// What an agent writes has to say something. An empty text of a command may be all that there is to say. (Of an answer
/// the runtime says it.)
std::optional<CheckResult> why_empty(const Work& work, const std::string& content);

}  // namespace baton

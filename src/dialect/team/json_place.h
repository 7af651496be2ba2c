#pragma once

#include <boost/json/fwd.hpp>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/fault.h"

namespace baton::team {

/// Where a member of the object that `text` is begins; its first line if it is not there.
Place place_of(std::string_view text, std::string_view key, const std::string& file);

/// The first of these members that is a truth value, or a text that says one.
std::optional<bool> truth_at(const boost::json::object& object, std::initializer_list<std::string_view> keys);

/// `true`, `yes`, `false`, `no`, in any case.
std::optional<bool> as_truth(std::string_view word);

/// The object that a file of a session is. `name`: as the session knows the file. Faults: team-file-corrupt.
Expected<boost::json::object> read_file_object(std::string_view text, const std::string& file, std::string_view name);

}  // namespace baton::team

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace baton {

constexpr std::size_t path_bytes_max = 4096;

/// True if a path a definition or a value names leads out of the project. The sandbox is ours and may be anywhere:
/// what is beneath it is fine.
bool leaves_folder(std::string_view path, std::string_view sandbox);

bool has_control_characters(std::string_view text);

/// A path that a file can have: not empty, not a folder's, not too long, nothing in it that could drive a terminal.
bool is_good_path(std::string_view path);

/// The path without what says nothing: `./out//x/../y` is `out/y`. Two that differ then are two files, but for links.
std::string plain_path(std::string_view path);

}  // namespace baton

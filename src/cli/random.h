#pragma once

#include <cstdint>
#include <string>

namespace baton::cli {

/// From the operating system. The only chance in the program: ids and the seeds of runs.
std::uint64_t draw();

/// `size` characters of [a-z0-9], the first one a letter.
std::string random_word(std::size_t size);

}  // namespace baton::cli

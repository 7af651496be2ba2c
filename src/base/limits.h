#pragma once

#include <cstddef>

namespace baton {

/// Everything that can grow has a named limit, checked where it enters.
struct Limits {
  static constexpr std::size_t file_bytes_max = 16U << 20U;    ///< a definition file
  static constexpr std::size_t yaml_depth_max = 64;            ///< nesting of a YAML document
  static constexpr std::size_t yaml_nodes_max = 2'000'000;     ///< nodes, counting alias copies
  static constexpr std::size_t output_bytes_max = 64U << 20U;  ///< an output file that is to be checked
  static constexpr std::size_t faults_max = 200;               ///< faults reported for one file
  static constexpr std::size_t unknown_fates_max = 100;        ///< attempts of one step whose end nobody saw
  static constexpr std::size_t frame_bytes_max = 16U << 20U;   ///< one message to or from the holder
};

}  // namespace baton

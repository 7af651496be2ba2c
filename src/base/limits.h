#pragma once

#include <cstddef>

namespace baton {

/// Everything that can grow has a named limit, checked where it enters.
struct Limits {
  static constexpr std::size_t file_bytes_max = 16U << 20U;        ///< a definition file
  static constexpr std::size_t yaml_depth_max = 64;                ///< nesting of a YAML document
  static constexpr std::size_t yaml_nodes_max = 2'000'000;         ///< nodes, counting alias copies
  static constexpr std::size_t output_bytes_max = 64U << 20U;      ///< an output file that is to be checked
  static constexpr std::size_t faults_max = 200;                   ///< faults reported for one file
  static constexpr std::size_t unknown_fates_max = 100;            ///< attempts of one step whose end nobody saw
  static constexpr std::size_t skill_bytes_max = 1U << 20U;        ///< a SKILL.md
  static constexpr std::size_t skill_head_bytes_max = 64U << 10U;  ///< of it, for its front matter
  static constexpr std::size_t skill_folders_max = 2'000;          ///< looked at in one folder of skills
  static constexpr std::size_t skills_max = 10'000;                ///< in all folders of skills together
  static constexpr std::size_t skill_files_max = 100;              ///< files of one skill that are named to an agent
  static constexpr std::size_t frame_bytes_max = 16U << 20U;       ///< one message to or from the holder
  static constexpr std::size_t request_bytes_max = 64U << 20U;     ///< a request file, with the body inside
  static constexpr std::size_t response_bytes_max = 1U << 30U;     ///< the body of an answer, decoded
  static constexpr std::size_t key_bytes_max = 16U << 10U;         ///< a key of a model's provider
};

}  // namespace baton

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace baton::api {

/// A model as its provider lists it.
struct ListedModel {
  std::string id;
  std::string name = {};                       ///< for people; often empty
  std::optional<std::int64_t> input_max = {};  ///< tokens
  std::optional<std::int64_t> output_max = {};

  bool operator==(const ListedModel&) const = default;
};

/// What `GET /v1/models` answers in either family; nothing if it is no list.
std::optional<std::vector<ListedModel>> read_model_list(std::string_view body);

}  // namespace baton::api

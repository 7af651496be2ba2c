#include "runtime/api/model_list.h"

#include <algorithm>

#include "runtime/api/json_reading.h"

namespace baton::api {

std::optional<std::vector<ListedModel>> read_model_list(std::string_view body) {
  const auto value = read_json(body);
  if (!value || !value->is_object()) return std::nullopt;
  // Some servers of one's own name their list `models`.
  const boost::json::array* list = array_at(value->get_object(), "data");
  if (list == nullptr) list = array_at(value->get_object(), "models");
  if (list == nullptr) return std::nullopt;
  std::vector<ListedModel> models;
  for (const boost::json::value& item : *list) {
    if (!item.is_object()) continue;
    const boost::json::object& model = item.get_object();
    std::string id{string_at(model, "id")};
    if (id.empty()) id = string_at(model, "name");
    if (id.empty()) continue;
    models.push_back({std::move(id), std::string{string_at(model, "display_name")}, count_at(model, "max_input_tokens"),
                      count_at(model, "max_tokens")});
  }
  std::ranges::sort(models, {}, &ListedModel::id);
  return models;
}

}  // namespace baton::api

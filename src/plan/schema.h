#pragma once

#include <boost/json/fwd.hpp>

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace baton {

/// A JSON Schema: draft 7, and of the later drafts what means the same under a new name. References stay inside the
/// document, nothing is ever fetched, and checking has a limit however the schema refers to itself. What stands beside
/// a
/// `$ref` counts only where `$schema` names a draft later than 7.
/// Written here and not taken from a library: docs/decisions/0013-our-own-json-schema.md says why.
class Schema {
 public:
  /// Reads and understands it whole. The error says what is wrong, and where in the schema.
  static std::expected<Schema, std::string> read(std::string_view text);

  /// What of it no document is held against, in sentences: formats that nobody knows, rules beside a `$ref`.
  [[nodiscard]] const std::vector<std::string>& passed_over() const;

  /// What is wrong with a document, in sentences (`Field 'a.0' is "x", expected integer`), the first few of them.
  [[nodiscard]] std::vector<std::string> failures(const boost::json::value& document) const;

  struct Parts;

 private:
  explicit Schema(std::shared_ptr<const Parts> parts) : parts_{std::move(parts)} {}
  std::shared_ptr<const Parts> parts_;
};

/// The JSON pointer that a `$ref` has behind its `#`, without percent signs for other signs; nothing if the reference
/// leads out of the document.
std::optional<std::string> pointer_of(std::string_view reference);

}  // namespace baton

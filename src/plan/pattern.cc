#include "plan/pattern.h"

#include <re2/re2.h>

namespace baton {
namespace {

RE2::Options quiet() {
  RE2::Options options;
  options.set_log_errors(false);
  return options;
}

}  // namespace

struct Pattern::Compiled {
  explicit Compiled(const std::string& expression) : regex{expression, quiet()} {}
  RE2 regex;
};

std::expected<Pattern, std::string> Pattern::compile(const std::string& expression) {
  auto compiled = std::make_shared<const Compiled>(expression);
  if (!compiled->regex.ok()) return std::unexpected(compiled->regex.error());
  return Pattern{std::move(compiled)};
}

bool Pattern::is_in(std::string_view text) const {
  return RE2::PartialMatch(re2::StringPiece{text.data(), text.size()}, compiled_->regex);
}

}  // namespace baton

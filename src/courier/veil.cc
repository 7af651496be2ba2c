#include "courier/veil.h"

#include <string.h>

#include <algorithm>
#include <utility>

#include "courier/secret_forms.h"

namespace baton::courier {
namespace {

/// The longest end of `text` that is a beginning of `secret`, but not all of it.
std::size_t promising_end(std::string_view text, std::string_view secret) {
  for (std::size_t size = std::min(text.size(), secret.size() - 1); size > 0; --size) {
    if (text.ends_with(secret.substr(0, size))) return size;
  }
  return 0;
}

}  // namespace

void Veil::add(std::string_view secret) {
  if (secret.size() < secret_bytes_min) return;
  for (std::string& form : secret_forms(secret)) forms_.push_back(std::move(form));
}

Veil::~Veil() {
  for (std::string& form : forms_) wipe(form);
}

std::string_view Veil::cover(std::string_view bytes) {
  if (forms_.empty()) return bytes;
  shown_.assign(kept_).append(bytes);
  std::size_t keep = 0;
  for (const std::string& form : forms_) {
    for (std::size_t at = 0; (at = shown_.find(form, at)) != std::string::npos; at += form.size()) {
      shown_.replace(at, form.size(), form.size(), '*');
    }
  }
  for (const std::string& form : forms_) keep = std::max(keep, promising_end(shown_, form));
  kept_ = shown_.substr(shown_.size() - keep);
  shown_.resize(shown_.size() - keep);
  return shown_;
}

std::string_view Veil::rest() {
  shown_ = std::exchange(kept_, {});
  return shown_;
}

std::string veiled(std::string_view text, std::string_view secret) {
  Veil veil{secret};
  std::string shown{veil.cover(text)};
  return shown += veil.rest();
}

void wipe(std::string& secret) {
  ::explicit_bzero(secret.data(), secret.size());
  secret.clear();
}

}  // namespace baton::courier

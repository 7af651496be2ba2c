#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace baton {

/// Texts that many attempts share, names of runtimes and models: each is kept once and known by a number. 0 is empty.
class Words {
 public:
  std::uint16_t intern(const std::string& text);
  [[nodiscard]] const std::string& operator[](std::uint16_t number) const;

 private:
  std::vector<std::string> all_{std::string{}};
};

}  // namespace baton

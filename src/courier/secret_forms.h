#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace baton::courier {

/// A secret as it is, and as others write it: in hexadecimal digits, percent-encoded, with the escapes of JSON, and in
/// base64, of which it may stand anywhere in a longer text: there the digits that are the same whatever is around it.
std::vector<std::string> secret_forms(std::string_view secret);

}  // namespace baton::courier

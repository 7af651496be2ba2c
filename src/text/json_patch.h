#pragma once

#include <boost/json/fwd.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "text/splice.h"

namespace baton {

/// Reads one JSON object; a byte order mark before it is fine. The fault has `code` and the place where reading
/// stopped.
Expected<boost::json::object> read_object(std::string_view text, const std::string& file, const char* code);

/// JSON that somebody else wrote and that is changed in a few places. Everything else stays as it is, byte for byte:
/// blanks, the order of keys, keys we do not know, numbers as they were written.
class JsonPatch {
 public:
  /// Members of an object, the values as JSON.
  using Fields = std::vector<std::pair<std::string, std::string>>;

  /// REQUIRES: read_object() reads `text`; it outlives the patch.
  explicit JsonPatch(std::string_view text);

  /// A member's value as it is written; empty if it is not there. Of a key that is there twice the last one counts.
  [[nodiscard]] std::string_view raw(std::string_view key) const;

  /// Gives a member this value (JSON); a new one is added at the end, in the form of its neighbours.
  void set(std::string_view key, const std::string& json);

  /// Adds an object to the list that is a member; to a new one if it is not there. False, and nothing is done, if it is
  /// there but no list.
  bool append(std::string_view key, const Fields& fields);

  /// The text with all of that done.
  [[nodiscard]] std::string take() &&;

 private:
  struct Member {
    std::string key;
    Bytes value;
  };
  /// How a list or object is laid out: what stands before each of its items.
  struct Layout {
    std::string gap;
    [[nodiscard]] bool has_lines() const { return gap.find('\n') != std::string::npos; }
  };

  [[nodiscard]] const Member* find(std::string_view key) const;
  [[nodiscard]] std::string rendered(const Fields& fields, const std::string& gap) const;
  [[nodiscard]] std::string deeper(const std::string& gap) const;

  std::string_view text_;
  std::size_t open_ = 0;  ///< of the bracket of the whole
  std::vector<Member> members_;
  Layout layout_;
  std::string colon_ = ": ";
  std::vector<Splice> splices_;
  Fields added_;
};

/// Where the JSON value that begins at `begin` ends, and where the items of the list or object there stand.
/// REQUIRES: the text is JSON.
std::size_t end_of_value(std::string_view text, std::size_t begin);
std::vector<Bytes> items_of_list(std::string_view text, std::size_t begin);

/// The same for a text whose root is a list: an object more at its end.
std::string appended(std::string_view text, Bytes list, const JsonPatch::Fields& fields);

}  // namespace baton

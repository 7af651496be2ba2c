#include "view/char_width.h"

#include <utf8proc.h>

#include <algorithm>

#include "base/utf8.h"

namespace baton {
namespace {

constexpr char32_t emoji_style = 0xFE0F;
constexpr char32_t keycap = 0x20E3;
constexpr char32_t first_mark = 0x300;         // nearly all text stands below, and no marks
constexpr char32_t first_new_emoji = 0x1FA70;  // where each version of Unicode has some more
constexpr char32_t last_new_emoji = 0x1FAFF;

const utf8proc_property_t& properties_of(char32_t c) {
  return *utf8proc_get_property(static_cast<utf8proc_int32_t>(c));
}

bool is_keycap_base(char32_t c) { return (c >= '0' && c <= '9') || c == '#' || c == '*'; }

}  // namespace

int char_width(char32_t c) {
  if (c < first_mark) return 1;
  const utf8proc_property_t& is = properties_of(c);
  // Here terminals go by other rules than the library: Hangul letters that stand on a first one take no column, marks
  // that take room have one of their own, and an emoji may be younger than the tables.
  if (is.boundclass == UTF8PROC_BOUNDCLASS_V || is.boundclass == UTF8PROC_BOUNDCLASS_T) return 0;
  if (is.category == UTF8PROC_CATEGORY_MC) return 1;
  if (is.category == UTF8PROC_CATEGORY_CN && c >= first_new_emoji && c <= last_new_emoji) return 2;
  return is.charwidth;
}

Cluster next_cluster(std::string_view text) {
  const Utf8Character base = utf8_shown(text);
  const int boundclass = properties_of(base.code).boundclass;
  const bool is_flag = boundclass == UTF8PROC_BOUNDCLASS_REGIONAL_INDICATOR;
  const bool is_picture = boundclass == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC;
  int width = char_width(base.code);
  std::size_t size = base.size;
  char32_t last = base.code;
  utf8proc_int32_t state = 0;
  bool is_one = true;  // by the rules of Unicode; marks without a column are no cluster of their own here either way
  while (size < text.size()) {
    const Utf8Character c = utf8_shown(text.substr(size));
    if (c.code < first_mark) break;
    is_one = !utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(last),
                                               static_cast<utf8proc_int32_t>(c.code), &state) &&
             is_one;
    const int own_width = char_width(c.code);
    // What has columns of its own is joined where terminals draw one picture: a flag, an emoji with its parts.
    const bool is_part = is_one && (is_flag || is_picture) && properties_of(c.code).category != UTF8PROC_CATEGORY_MC;
    if (own_width != 0 && !is_part) break;
    if (is_flag && own_width != 0) width = 2;
    if (is_picture) width = c.code == emoji_style ? 2 : std::max(width, own_width);
    if (c.code == keycap && is_keycap_base(base.code)) width = 2;
    size += c.size;
    last = c.code;
  }
  return {text.substr(0, size), width, base.code};
}

}  // namespace baton

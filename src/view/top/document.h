#pragma once

#include <compare>
#include <cstddef>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/log_line.h"
#include "view/grid.h"

namespace baton::top {

/// One thing to be read in a pane: a line or several.
struct Entry {
  enum class Kind : std::uint8_t {
    plain,
    agent,
    helper,
    tool,
    thinking,
    answer,
    trouble,
    note,
    result,
    head,
    added,
    removed,
    hunk,
  };
  Kind kind = Kind::plain;
  std::string text;

  /// Shown as one line until somebody wants all of it.
  [[nodiscard]] bool folds() const { return kind == Kind::tool || kind == Kind::thinking || kind == Kind::answer; }
  bool operator==(const Entry&) const = default;
};

/// What a pane shows to be read, and where its reader is. Entries are counted from the beginning, also when the first
/// of them were let go.
struct Document {
  static constexpr std::size_t entries_max = 20'000;
  static constexpr std::size_t bytes_max = 32U << 20U;
  static constexpr std::size_t entry_bytes_max = 64U << 10U;

  /// A row of an entry.
  struct Place {
    std::size_t entry = 0, row = 0;
    auto operator<=>(const Place&) const = default;
  };

  std::string about;  ///< what it shows: with another thing the reader begins anew
  std::string empty;  ///< said where there is nothing
  std::deque<Entry> entries;
  std::size_t first = 0;  ///< the number of entries.front()

  std::size_t top = 0, top_row = 0;        ///< the first entry on the screen, and which of its rows
  std::size_t cursor = 0, cursor_row = 0;  ///< where its reader is
  bool follow = false;                     ///< stays at the end
  std::string search;
  std::set<std::size_t> turned;  ///< folded or unfolded by hand
  bool unfolded = false;         ///< all of them, where not turned

  [[nodiscard]] std::size_t end() const { return first + entries.size(); }
  [[nodiscard]] const Entry& at(std::size_t n) const { return entries[n - first]; }
  [[nodiscard]] bool is_folded(std::size_t n) const { return at(n).folds() && unfolded == turned.contains(n); }

  void clear(std::string new_about);
  /// One that is very long becomes several; one that folds is cut instead, and says so.
  void add(Entry entry);
  /// Replaces what is there; the reader stays where it is if it is the same thing.
  void set(const std::string& new_about, std::vector<Entry> all);

  // --- What a reader does. `size` is that of the text's room in the pane. -----------------------------------------
  void scroll(long long rows, Size size);
  void move(long long rows, Size size);  ///< the cursor
  void stay(Size size);                  ///< where it is, also if it followed the end
  void to_top();
  void to_end();            ///< and follows it
  void to_last(Size size);  ///< the last row
  void click(int row, Size size);
  void turn();      ///< folds or unfolds the entry under the cursor
  void turn_all();  ///< folds or unfolds all
  /// The next (or, with -1, last) row that has the searched text. False: there is none.
  bool find(int direction, Size size);
  /// To the beginning of the next file of a diff, or of the one before.
  void to_file(int direction, Size size);

  /// What is first on the screen: nothing below the end is shown while there is something above the beginning.
  /// REQUIRES: there are entries, as do all below.
  [[nodiscard]] Place first_seen(Size size) const;
  /// The entry in so many columns. Laid out once: the answer holds until the next call.
  [[nodiscard]] const std::vector<CellLine>& rows_of(std::size_t n, int width) const;

 private:
  struct Laid {
    bool folded = false;
    std::vector<CellLine> rows = {};
  };

  void add_piece(Entry entry);
  void put_top(Place p);
  void put_cursor(Place p);
  void show_cursor(Size size);
  /// So many rows down (or, if negative, up), at most to the first or last.
  [[nodiscard]] Place walked(Place from, long long by, int width) const;
  [[nodiscard]] Place last_row(int width) const;
  /// What is first on the screen when the end is the last.
  [[nodiscard]] Place place_of_end(Size size) const;
  [[nodiscard]] bool is_found(std::size_t n) const;
  [[nodiscard]] std::vector<std::size_t> rows_found(std::size_t n, int width) const;

  std::size_t bytes_ = 0;  ///< of all entries
  // Laying out is what costs: a screen is drawn many times before it changes.
  mutable std::map<std::size_t, Laid> laid_;
  mutable int laid_width_ = 0;
  mutable std::size_t laid_cells_ = 0;
};

Entry::Kind kind_of(Voice voice);

/// Which part of a document is on the screen, in thousandths of an entry.
struct Seen {
  std::size_t from = 0, to = 0, all = 0;
};

/// Draws what is to be seen of it; every row of `where` is written.
Seen draw(Grid& grid, const Rect& where, const Document& document, bool focused);

/// A diff as entries, coloured by what its lines are.
std::vector<Entry> diff_entries(std::string_view diff);

/// Any text, a line an entry.
std::vector<Entry> text_entries(std::string_view text, Entry::Kind kind = Entry::Kind::plain);

}  // namespace baton::top

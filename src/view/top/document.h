#pragma once

#include <cstddef>
#include <deque>
#include <set>
#include <string>
#include <utility>
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

  std::string about;  ///< what it shows: with another thing the reader begins anew
  std::string empty;  ///< said where there is nothing
  std::deque<Entry> entries;
  std::size_t first = 0;  ///< the number of entries.front()

  std::size_t top = 0;       ///< the first entry on the screen
  std::size_t top_line = 0;  ///< its first row on the screen
  std::size_t cursor = 0;
  bool follow = false;  ///< stays at the end
  std::string search;
  std::set<std::size_t> turned;  ///< folded or unfolded by hand
  bool unfolded = false;         ///< all of them, where not turned

  [[nodiscard]] std::size_t end() const { return first + entries.size(); }
  [[nodiscard]] const Entry& at(std::size_t n) const { return entries[n - first]; }
  [[nodiscard]] bool is_folded(std::size_t n) const { return at(n).folds() && unfolded == turned.contains(n); }

  void clear(std::string new_about);
  void add(Entry entry);
  /// Replaces what is there; the reader stays where it is if it is the same thing.
  void set(const std::string& new_about, std::vector<Entry> all);

  // --- What a reader does. `size` is that of the text's room in the pane. -----------------------------------------
  void scroll(int rows, Size size);
  void move(int entries_by, Size size);
  void to_top();
  void to_end();
  void turn();      ///< folds or unfolds the entry under the cursor
  void turn_all();  ///< folds or unfolds all
  /// The next (or, with -1, last) entry that has the searched text. False: there is none.
  bool find(int direction, Size size);

  /// The entry and its row that are the first on the screen when the end is the last.
  [[nodiscard]] std::pair<std::size_t, std::size_t> place_of_end(Size size) const;
  /// To the beginning of the next file of a diff, or of the one before.
  void to_file(int direction, Size size);
  /// Rows that the entry takes in so many columns.
  [[nodiscard]] std::vector<CellLine> rows_of(std::size_t n, int width) const;

 private:
  void settle(Size size);
  void show_cursor(Size size);
  [[nodiscard]] bool is_found(std::size_t n) const;
};

Entry::Kind kind_of(Voice voice);

/// Draws what is to be seen of it; every row of `where` is written. Answers the first entry that is seen, and the one
/// after the last.
std::pair<std::size_t, std::size_t> draw(Grid& grid, const Rect& where, const Document& document, bool focused);

/// A diff as entries, coloured by what its lines are.
std::vector<Entry> diff_entries(std::string_view diff);

/// Any text, a line an entry.
std::vector<Entry> text_entries(std::string_view text, Entry::Kind kind = Entry::Kind::plain);

}  // namespace baton::top

#pragma once

#include <string>
#include <string_view>

namespace baton {

/// Text for a page or an attribute: markup and control characters become what can be read.
std::string html_text(std::string_view text);

/// The same, cut where it is very long, with a word on how much more there is.
std::string html_excerpt(std::string_view text, std::size_t bytes_max);

/// What may be wider than the page: it scrolls by itself, and the page does not.
std::string html_scroll(std::string_view body);

/// The looks of the page: light and dark, on screen and on paper.
std::string_view report_style();

}  // namespace baton

#!/usr/bin/env python3
"""A terminal's screen as a picture.

Usage: tmux capture-pane -e -p -t PANE | tools/terminal-picture.py > screen.svg
"""
import html
import re
import sys
import unicodedata

GROUND, INK = "#0d1117", "#d0d7de"
BASIC = ["#161b22", "#ff7b72", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#d0d7de",
         "#6e7681", "#ffa198", "#7ee787", "#f2cc60", "#a5d6ff", "#e2c5ff", "#b3f0ff", "#ffffff"]
WIDE, HIGH, MARGIN = 8.4, 16.4, 12


def color(n):
    if n < 16:
        return BASIC[n]
    if n >= 232:
        return "#%02x%02x%02x" % ((8 + 10 * (n - 232),) * 3)
    level = [0 if v == 0 else 55 + 40 * v for v in ((n - 16) // 36, (n - 16) // 6 % 6, (n - 16) % 6)]
    return "#%02x%02x%02x" % tuple(level)


class Style:
    def __init__(self):
        self.set([0])

    def set(self, codes):
        codes = list(codes)
        while codes:
            c = codes.pop(0)
            if c == 0:
                self.fg = self.bg = None
                self.bold = self.dim = self.reverse = False
            elif c in (1, 2, 7):
                setattr(self, {1: "bold", 2: "dim", 7: "reverse"}[c], True)
            elif c == 22:
                self.bold = self.dim = False
            elif c == 27:
                self.reverse = False
            elif c in (38, 48) and codes[:1] == [5]:
                setattr(self, "fg" if c == 38 else "bg", codes[1])
                del codes[:2]
            elif c in (39, 49):
                setattr(self, "fg" if c == 39 else "bg", None)
            elif 30 <= c < 38 or 90 <= c < 98:
                self.fg = c - 30 if c < 90 else c - 82
            elif 40 <= c < 48 or 100 <= c < 108:
                self.bg = c - 40 if c < 100 else c - 92

    def colors(self):
        fg = INK if self.fg is None else color(self.fg)
        bg = None if self.bg is None else color(self.bg)
        return (bg or GROUND, fg) if self.reverse else (fg, bg)


def columns(c):
    if unicodedata.combining(c) or c in "\u200d\ufe0e\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(c) in "WF" else 1


def pieces(line):
    """Texts of one style, with their columns."""
    style = Style()
    for part in re.split(r"(\x1b\[[0-9;]*m|\x1b\([B0]|[\x0e\x0f])", line):
        sgr = re.fullmatch(r"\x1b\[([0-9;]*)m", part)
        if sgr:
            style.set(int(n or 0) for n in sgr[1].split(";"))
        elif part and part[0] not in "\x1b\x0e\x0f":
            yield part, sum(map(columns, part)), style.colors(), style.bold, style.dim


def main():
    lines = sys.stdin.read().rstrip("\n").split("\n")
    width = max(sum(n for _, n, *_ in pieces(line)) for line in lines)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width * WIDE + 2 * MARGIN:.0f} '
           f'{len(lines) * HIGH + 2 * MARGIN:.0f}" font-size="14" '
           'font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,\'DejaVu Sans Mono\',monospace">',
           f'<rect width="100%" height="100%" rx="8" fill="{GROUND}"/>']
    for row, line in enumerate(lines):
        x, y = MARGIN, MARGIN + row * HIGH
        for text, count, (fg, bg), bold, dim in pieces(line):
            long = count * WIDE
            if bg:
                out.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{long:.1f}" height="{HIGH}" fill="{bg}"/>')
            if text.strip():
                # From the first to the last letter, so that no space at an end is stretched or lost.
                lead = len(text) - len(text.lstrip(" "))
                body = text.strip(" ")
                more = (' font-weight="700"' if bold else "") + (' opacity=".6"' if dim else "")
                out.append(f'<text x="{x + lead * WIDE:.1f}" y="{y + 12.8:.1f}" xml:space="preserve" lengthAdjust='
                           f'"spacingAndGlyphs" textLength="{sum(map(columns, body)) * WIDE:.1f}" fill="{fg}"{more}>'
                           f"{html.escape(body)}</text>")
            x += long
    print("\n".join(out + ["</svg>"]))


if __name__ == "__main__":
    main()

"""Bars as SVG, readable on light and on dark ground: the picture asks the reader's system which one it is. Pure."""
from xml.sax.saxutils import escape

STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #1f2328; } .title { font-weight: 600; font-size: 15px; } .note { fill: #59636e; }
  .bar { fill: #8c959f; } .ours { fill: #0969da; } .range { stroke: #1f2328; stroke-width: 1.5; } .axis { stroke: #d1d9e0; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; } .note { fill: #9198a1; } .bar { fill: #656c76; } .ours { fill: #4493f8; }
    .range { stroke: #f0f6fc; } .axis { stroke: #3d444d; }
  }
"""
WIDTH, LABELS, VALUES, ROW, HEAD = 720, 150, 110, 26, 52


def bars(title, note, rows):
    """`rows`: (label, value, low, high, text, is_ours). Bars are in proportion; the thin line is the spread."""
    most = max((row[3] for row in rows), default=1) or 1
    height = HEAD + ROW * len(rows) + 12
    room = WIDTH - LABELS - VALUES

    def x(number):
        return LABELS + room * number / most

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">',
             f"<title>{escape(title)}</title>", f"<style>{STYLE}</style>",
             f'<text class="title" x="8" y="20">{escape(title)}</text>', f'<text class="note" x="8" y="38">{escape(note)}</text>',
             f'<line class="axis" x1="{LABELS}" y1="{HEAD - 6}" x2="{LABELS}" y2="{height - 8}"/>']
    for n, (label, number, low, high, text, is_ours) in enumerate(rows):
        y = HEAD + ROW * n
        parts += [f'<text x="{LABELS - 8}" y="{y + 14}" text-anchor="end">{escape(label)}</text>',
                  f'<rect class="{"ours" if is_ours else "bar"}" x="{LABELS}" y="{y}" width="{max(x(number) - LABELS, 1):.1f}" height="18" rx="2"/>',
                  f'<line class="range" x1="{x(low):.1f}" y1="{y + 9}" x2="{x(high):.1f}" y2="{y + 9}"/>',
                  f'<text x="{x(high) + 8:.1f}" y="{y + 14}">{escape(text)}</text>']
    return "\n".join([*parts, "</svg>", ""])

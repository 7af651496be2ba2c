#include "view/report/html.h"

#include <fmt/core.h>

#include "base/text.h"

namespace baton {

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      case '`':
        out += "&#96;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string html_excerpt(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return html_text(text);
  return html_text(shorten(text, bytes_max)) +
         fmt::format("<span class=\"more\">{} more bytes are in the file</span>", text.size() - bytes_max);
}

std::string html_scroll(std::string_view body) { return fmt::format("<div class=\"scroll\">{}</div>\n", body); }

std::string_view report_style() {
  return R"css(
:root{color-scheme:light dark;--bg:#fff;--fg:#1c2128;--quiet:#59636e;--line:#d1d9e0;--card:#f6f8fa;--accent:#0b6e99;
--good:#1a7f37;--bad:#cf222e;--warn:#9a6700;--active:#0b6e99;--idle:#8c959f;--add:#dafbe1;--del:#ffebe9}
@media (prefers-color-scheme:dark){:root{--bg:#0d1117;--fg:#e6edf3;--quiet:#9198a1;--line:#30363d;--card:#161b22;
--accent:#58b7e0;--good:#3fb950;--bad:#f85149;--warn:#d29922;--active:#58b7e0;--idle:#6e7681;--add:#12261e;--del:#2d1214}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:72rem;padding:2rem 1.5rem 4rem;background:var(--bg);color:var(--fg);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
h1{font-size:1.7rem;margin:0 0 .2rem;overflow-wrap:anywhere}
h2{font-size:1.2rem;margin:2.2rem 0 .8rem;border-bottom:1px solid var(--line);
padding-bottom:.3rem}h3{font-size:1rem;margin:1.4rem 0 .4rem}h4{font-size:.85rem;margin:.8rem 0 .3rem;color:var(--quiet)}
code,pre,.mono,svg text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
.quiet{color:var(--quiet)}.task{white-space:pre-wrap;margin:.6rem 0;padding:.6rem .8rem;background:var(--card);
border-left:3px solid var(--accent);overflow-wrap:anywhere}
.badge{display:inline-block;padding:.05rem .6rem;border-radius:1rem;font-size:.85rem;font-weight:600;
border:1px solid currentColor}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(10rem,1fr));gap:.7rem;margin:1rem 0}
.tile{background:var(--card);border:1px solid var(--line);border-radius:6px;padding:.6rem .8rem}
.tile b{display:block;font-size:1.25rem}.tile span{color:var(--quiet);font-size:.8rem}
.error{border:1px solid var(--bad);border-radius:6px;padding:.6rem .8rem;color:var(--bad);white-space:pre-wrap;
overflow-wrap:anywhere}
.scroll{overflow-x:auto;margin-bottom:.8rem}
table{border-collapse:collapse;width:100%;font-size:.88rem}th,td{text-align:left;padding:.3rem .6rem;
border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:break-word}th{color:var(--quiet);font-weight:600}
td.mono,td.long{overflow-wrap:anywhere;min-width:8rem}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
pre{margin:0;padding:.7rem .8rem;background:var(--card);border:1px solid var(--line);border-radius:6px;
max-height:24rem;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere;font-size:.82rem;tab-size:4}
.diff .add{background:var(--add);display:block}.diff .del{background:var(--del);display:block}
.diff .file{font-weight:600;display:block}.diff .hunk{color:var(--accent);display:block}
.more{display:block;color:var(--quiet);font-style:italic}
svg{display:block;max-width:none}svg text{font-size:12px;fill:var(--fg)}svg .quiet{fill:var(--quiet)}
svg .line{stroke:var(--line);fill:none}svg .edge{stroke:var(--idle);fill:none;stroke-width:1.3}
svg .box{fill:var(--card);stroke:var(--idle);stroke-width:1.4}
.c-good{color:var(--good)}.c-bad{color:var(--bad)}.c-warn{color:var(--warn)}.c-active{color:var(--active)}
.c-idle{color:var(--idle)}
svg .f{fill:currentColor}svg .o{fill:none;stroke:currentColor;stroke-width:1.6}svg .w{fill:currentColor;opacity:.28}
svg .sign{fill:currentColor;font-weight:700}
footer{margin-top:3rem;color:var(--quiet);font-size:.8rem;border-top:1px solid var(--line);padding-top:.6rem}
@media print{:root{--bg:#fff;--fg:#000;--quiet:#444;--line:#bbb;--card:#fafafa;--accent:#0b6e99;--good:#1a7f37;
--bad:#b01020;--warn:#7a5200;--active:#0b6e99;--idle:#777;--add:#eaffea;--del:#ffecec}
body{max-width:none;padding:0;font-size:11px}pre{max-height:none;overflow:visible;break-inside:auto}
h2,h3{break-after:avoid}tr,.tile,figure{break-inside:avoid}.scroll{overflow:visible}
.scroll svg{max-width:100%;height:auto}*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
)css";
}

}  // namespace baton

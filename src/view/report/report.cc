#include "view/report/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "base/text.h"
#include "core/facts.h"
#include "view/report/html.h"
#include "view/report/parts.h"
#include "view/used.h"
#include "view/words.h"

namespace baton {
namespace {

constexpr std::size_t text_bytes_max = 64U << 10U;
constexpr std::size_t diff_bytes_max = 1U << 20U;
constexpr std::size_t steps_with_texts_max = 1000;

const Attempt::Detail& detail_of(const Attempt& a) {
  static const Attempt::Detail none;
  return a.detail ? *a.detail : none;
}

/// "2026-11-16 04:10"
std::string minute_of(Time t) {
  std::string text = rfc3339(t).substr(0, 16);
  text[10] = ' ';
  return text;
}

class Page {
 public:
  explicit Page(const RunReport& report) : r_(report), run_(*report.run) {}

  std::string html() {
    head();
    summary();
    section("graph", "Graph", graph_svg(run_));
    section("timeline", "Timeline", timeline_svg(r_));
    section("cost", "Cost and tokens", usage_svg(run_) + models_table());
    section("checks", "Checks", checks_table());
    steps();
    section("diff", "What it changed", diff());
    out_ += fmt::format("<footer>Made by baton {} on {} from the journal of run {}.</footer>\n</body></html>\n",
                        html_text(r_.version), rfc3339(r_.now).substr(0, 19) + "Z", html_text(r_.id));
    return std::move(out_);
  }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  void section(std::string_view id, std::string_view title, const std::string& body) {
    add("<section id=\"{}\"><h2>{}</h2>\n{}</section>\n", id, title, body);
  }

  void head() {
    out_ += "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n";
    // Nothing is fetched, nothing runs: also not if something here could be made to try.
    out_ += "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n";
    out_ += "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n";
    add("<title>{} {}: {}</title>\n<style>{}</style></head>\n<body>\n", html_text(run_.workflow()), html_text(r_.id),
        name(run_.state()), report_style());
    add("<header><h1>{}</h1><p><span class=\"badge {}\">{} {}</span> <span class=\"quiet mono\">{}</span></p>\n",
        html_text(run_.workflow()), color_class(run_.state()), sign(run_.state()), name(run_.state()),
        html_text(r_.id));
    if (const std::string task = option_of(run_, "task"); !task.empty())
      add("<div class=\"task\">{}</div>\n", html_excerpt(task, text_bytes_max));
    for (const std::string& later : run_.later_tasks())
      add("<div class=\"task\">{}</div>\n", html_excerpt(later, text_bytes_max));
    out_ += "</header>\n";
  }

  void tile(std::string_view what, const std::string& value) {
    add("<div class=\"tile\"><b>{}</b><span>{}</span></div>\n", html_text(value), what);
  }

  void summary() {
    out_ += "<section id=\"summary\">\n<div class=\"tiles\">\n";
    tile("steps completed", fmt::format("{} of {}", run_.count(StepState::completed), run_.step_total()));
    tile("from start to end", brief(duration_of(run_, r_.now)));
    tile("tokens", short_number(run_.tokens().total()));
    tile("cost", money(run_.cost(), run_.known_cost()));
    tile("started (UTC)", run_.started() == Time{} ? "not yet" : minute_of(run_.started()));
    std::size_t attempts = 0;
    for (std::size_t n = 0; n < run_.step_count(); ++n) attempts += shown_attempts(run_, step_index(n)).size();
    tile("attempts", fmt::format("{}", attempts));
    out_ += "</div>\n";
    if (const auto error = error_of(run_))
      add("<p class=\"error\"><b>{}</b>: {}</p>\n", html_text(error->code), html_text(error->message));
    std::string facts;
    const auto fact = [&](std::string_view what, const std::string& value) {
      if (!value.empty())
        facts += fmt::format("<tr><th>{}</th><td class=\"mono\">{}</td></tr>\n", what, html_text(value));
    };
    fact("branch", option_of(run_, "branch"));
    fact("landed", run_.landed());
    fact("sandbox", option_of(run_, "sandbox"));
    fact("artifact", artifact_of(run_, r_.places).value_or(""));
    fact("folder", r_.places.folder);
    out_ += table(facts) + "</section>\n";
  }

  static std::string table(const std::string& rows) { return html_scroll("<table>" + rows + "</table>"); }

  std::string models_table() {
    std::map<std::string, Used> models;
    for (std::size_t n = 0; n < run_.step_count(); ++n) {
      for (const Attempt& a : shown_attempts(run_, step_index(n))) {
        const std::string& model = model_of(run_, a);
        models[run_.interned(a.runtime) + (model.empty() ? "" : " " + model)].add(run_, a);
      }
    }
    std::string rows;
    for (const auto& [model, s] : models) {
      rows += fmt::format(
          "<tr><td class=\"mono\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
          "<td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
          html_text(model), s.attempts, s.tokens.input, s.tokens.output, s.tokens.cache_read, s.tokens.cache_write,
          s.unknown ? "unknown" : money(s.known));
    }
    if (rows.empty()) return {};
    return table(
        "<tr><th>Runtime and model</th><th class=\"n\">Attempts</th><th class=\"n\">Input</th><th "
        "class=\"n\">Output</th>"
        "<th class=\"n\">Cache read</th><th class=\"n\">Cache written</th><th class=\"n\">Cost</th></tr>\n" +
        rows);
  }

  std::string checks_table() {
    std::string rows;
    for (const StepIndex i : steps_in_reading_order(run_)) {
      for (const Attempt& a : shown_attempts(run_, i)) {
        for (const CheckResult& c : detail_of(a).checks) {
          rows += fmt::format(
              "<tr><td class=\"long\">{}</td><td class=\"n\">{}</td><td class=\"mono\">{}</td><td "
              "class=\"{}\">{}</td><td class=\"long\">{}</td></tr>\n",
              html_text(run_.step(i).id), a.n, html_text(c.name), c.passed ? "c-good" : "c-bad",
              c.passed ? "✓ passed" : "✗ failed", html_text(c.message));
        }
      }
    }
    if (rows.empty()) return "<p class=\"quiet\">No output was checked.</p>\n";
    return table("<tr><th>Step</th><th class=\"n\">Attempt</th><th>Check</th><th>Result</th><th>Message</th></tr>\n" +
                 rows);
  }

  void steps() {
    out_ += "<section id=\"steps\"><h2>Steps, prompts and outputs</h2>\n";
    std::size_t shown = 0;
    for (const StepIndex i : steps_in_reading_order(run_)) step(i, ++shown <= steps_with_texts_max);
    if (shown > steps_with_texts_max)
      add("<p class=\"quiet\">Prompts and outputs are those of the first {} steps.</p>\n", steps_with_texts_max);
    out_ += "</section>\n";
  }

  void step(StepIndex i, bool with_texts) {
    const Step& s = run_.step(i);
    const StepState state = shown_state(run_, i);
    add("<article><h3><span class=\"{}\">{}</span> {} <span class=\"quiet\">{}{}{}</span></h3>\n", color_class(state),
        sign(state), html_text(s.id), name(state), s.work->title.empty() ? "" : " · ", html_text(s.work->title));
    if (const auto error = error_of(run_, i)) add("<p class=\"error\">{}</p>\n", html_text(error->message));
    if (const std::string why = why_skipped(run_, i); !why.empty()) add("<p class=\"quiet\">{}</p>\n", html_text(why));
    const std::span<const Attempt> attempts = shown_attempts(run_, i);
    if (!attempts.empty()) attempts_table(attempts);
    if (with_texts && r_.prompt && !s.work->is_command()) {
      for (const Attempt& a : attempts) {
        text(attempts.size() > 1 ? fmt::format("Prompt of attempt {}", a.n) : "Prompt", r_.prompt(s.id, a.n));
      }
    }
    if (with_texts && r_.output) text("Output", r_.output(s.id));
    out_ += "</article>\n";
  }

  void attempts_table(std::span<const Attempt> attempts) {
    std::string rows =
        "<tr><th class=\"n\">#</th><th>State</th><th>Runtime</th><th>Model</th><th class=\"n\">Took</th>"
        "<th class=\"n\">Tokens</th><th class=\"n\">Cost</th><th>What went wrong</th></tr>\n";
    for (const Attempt& a : attempts) {
      const Attempt::Detail& d = detail_of(a);
      const KnownUsage used = known_usage(run_, a);
      const bool ended = a.started != Time{} && a.finished >= a.started;
      rows += fmt::format(
          "<tr><td class=\"n\">{}</td><td class=\"{}\">{}</td><td>{}</td><td class=\"long\">{}</td><td "
          "class=\"n\">{}</td><td "
          "class=\"n\">{}</td>"
          "<td class=\"n\">{}</td><td class=\"long\">{}</td></tr>\n",
          a.n, color_class(a.state), name(a.state), html_text(run_.interned(a.runtime)), html_text(model_of(run_, a)),
          ended ? brief(a.finished - a.started) : "", used.tokens ? short_number(used.tokens->total()) : "unknown",
          used.cost ? money(*used.cost) : "unknown", d.failure ? html_text(d.failure->message) : "");
    }
    out_ += table(rows);
  }

  void text(const std::string& title, const std::string& body) {
    if (body.empty()) return;
    add("<h4>{}</h4><pre>{}</pre>\n", title, html_excerpt(body, text_bytes_max));
  }

  std::string diff() {
    if (r_.diff.empty()) {
      return fmt::format("<p class=\"quiet\">{}</p>\n",
                         html_text(r_.no_diff.empty() ? "Nothing was changed." : r_.no_diff));
    }
    std::string out = "<pre class=\"diff\">";
    const std::string_view shown = std::string_view{r_.diff}.substr(0, diff_bytes_max);
    bool in_head = true;  // until the first hunk: below it "--- x" is a line "-- x" that was removed
    for (const std::string_view line : split(shown, '\n')) {
      if (line.starts_with("diff ")) in_head = true;
      if (line.starts_with("@@")) in_head = false;
      const bool file = line.starts_with("diff ") || (in_head && (line.starts_with("+++") || line.starts_with("---")));
      const char* kind = file                     ? "file"
                         : line.starts_with("@@") ? "hunk"
                         : line.starts_with("+")  ? "add"
                         : line.starts_with("-")  ? "del"
                                                  : nullptr;
      if (kind != nullptr) {
        out += fmt::format("<span class=\"{}\">{}</span>", kind, html_text(line));
      } else {
        out += html_text(line) + "\n";
      }
    }
    if (shown.size() < r_.diff.size()) out += "<span class=\"more\">'baton diff' shows the rest</span>";
    return out + "</pre>\n";
  }

  const RunReport& r_;
  const Run& run_;
  std::string out_;
};

}  // namespace

std::string report_html(const RunReport& report) { return Page{report}.html(); }

}  // namespace baton

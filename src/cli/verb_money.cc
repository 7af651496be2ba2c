// Verbs about money: what models cost, what was spent.
#include <unistd.h>

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "cli/agent_settings.h"
#include "cli/load_run.h"
#include "cli/offered_models.h"
#include "cli/reporter.h"
#include "cli/verbs.h"
#include "core/facts.h"
#include "view/cells.h"
#include "view/cost_view.h"
#include "view/json_text.h"
#include "view/words.h"

namespace baton::cli {
namespace {

// Models ------------------------------------------------------------------------------------------------------------

/// Millionths of a millionth of a dollar for one token are millionths of a dollar for a million of them.
std::string dollars(std::int64_t pico_per_token) { return json_of(std::optional{Cost{pico_per_token * 1000}}); }

std::string prices_json(const TokenPrices& p) {
  return JsonObject{}
      .raw("input", dollars(p.input))
      .raw("output", dollars(p.output))
      .raw("cache_read", dollars(p.cache_read))
      .raw("cache_write", dollars(p.cache_write))
      .raw("cache_write_1h", dollars(p.cache_write_1h))
      .done();
}

/// The table in force, the user's part of it, and what the user took out of the built-in one.
struct Tables {
  UserPrices user;
  Prices all;
  std::vector<Offer> offers;  ///< what providers say that they have

  [[nodiscard]] bool is_users_model(const std::string& id) const { return user.own.models().contains(id); }
  [[nodiscard]] bool is_users_alias(const std::string& name) const { return user.own.aliases().contains(name); }
  [[nodiscard]] std::vector<std::string> removed() const {
    std::vector<std::string> names;
    for (const auto& [id, price] : Prices::built_in().models()) {
      if (!all.models().contains(id)) names.push_back(id);
    }
    return names;
  }
};

std::string offers_json(const Tables& t) {
  std::vector<std::string> offers;
  for (const Offer& offer : t.offers) {
    std::vector<std::string> models;
    for (const api::ListedModel& model : offer.models) {
      JsonObject object;
      object.text("id", model.id).flag("priced", t.all.price_of(model.id) != nullptr);
      if (!model.name.empty()) object.text("name", model.name);
      if (model.input_max) object.number("max_input_tokens", *model.input_max);
      if (model.output_max) object.number("max_output_tokens", *model.output_max);
      models.push_back(object.done());
    }
    JsonObject object;
    object.text("runtime", offer.runtime).text("url", offer.url);
    if (!offer.trouble.empty()) object.text("error", offer.trouble);
    offers.push_back(object.raw("models", "[" + join(models, ",\n ") + "]").done());
  }
  return "[" + join(offers, ",\n ") + "]";
}

std::string offers_text(const Tables& t) {
  std::string text;
  for (const Offer& offer : t.offers) {
    text += fmt::format("\noffered to '{}' by {}\n", offer.runtime, printable(offer.url));
    if (!offer.trouble.empty()) text += fmt::format("  could not be asked: {}\n", printable(offer.trouble));
    for (const api::ListedModel& model : offer.models) {
      const bool priced = t.all.price_of(model.id) != nullptr;
      text += fmt::format("  {}  {}{}\n", fit(printable(model.id), 32), printable(model.name),
                          priced ? "" : (model.name.empty() ? "" : ", ") + std::string{"its price is not known"});
    }
  }
  return text;
}

std::string models_json(const Tables& t) {
  std::vector<std::string> models;
  for (const auto& [id, price] : t.all.models()) {
    JsonObject model;
    model.text("id", id).text("origin", t.is_users_model(id) ? "user" : "built-in");
    model.raw("usd_per_million_tokens", prices_json(price.prices));
    if (price.above_prompt_tokens) {
      model.raw("above", JsonObject{}
                             .number("prompt_tokens", *price.above_prompt_tokens)
                             .raw("usd_per_million_tokens", prices_json(price.above))
                             .done());
    }
    models.push_back(model.done());
  }
  std::vector<std::string> aliases;
  for (const auto& [name, id] : t.all.aliases()) {
    aliases.push_back(JsonObject{}
                          .text("name", name)
                          .text("model", id)
                          .text("origin", t.is_users_alias(name) ? "user" : "built-in")
                          .done());
  }
  JsonObject object;
  object.text("date", Prices::built_in().date());
  object.raw("user",
             t.user.is_there ? JsonObject{}.text("file", t.user.file).text("date", t.user.own.date()).done() : "null");
  object.raw("offered", offers_json(t));
  return object.raw("models", "[" + join(models, ",\n ") + "]")
      .raw("aliases", "[" + join(aliases, ",\n ") + "]")
      .raw("removed", json_of(t.removed()))
      .done();
}

std::string prices_row(const std::string& name, const TokenPrices& p, const std::string& note) {
  return fmt::format("{}  {:>7}  {:>7}  {:>7}  {:>7}  {:>7}{}\n", fit(printable(name), 24), dollars(p.input),
                     dollars(p.output), dollars(p.cache_read), dollars(p.cache_write), dollars(p.cache_write_1h),
                     note.empty() ? "" : "  " + note);
}

std::string models_text(const Tables& t) {
  std::string text = fmt::format("{}    INPUT   OUTPUT   CACHED  WRITTEN   FOR 1H\n", fit("MODEL", 24));
  for (const auto& [id, price] : t.all.models()) {
    text += prices_row(id, price.prices, t.is_users_model(id) ? "yours" : "");
    if (!price.above_prompt_tokens) continue;
    text += prices_row(fmt::format("  prompt over {}", short_number(*price.above_prompt_tokens)), price.above, "");
  }
  text += fmt::format("\n{}  MODEL\n", fit("ALIAS", 24));
  for (const auto& [name, id] : t.all.aliases()) {
    text += fmt::format("{}  {}{}\n", fit(printable(name), 24), printable(id), t.is_users_alias(name) ? "  yours" : "");
  }
  for (const std::string& id : t.removed())
    text += fmt::format("{}  taken out by you: its cost is unknown\n", fit(id, 24));
  text += offers_text(t);
  text += fmt::format("\ndollars per million tokens; list prices of {}\n", Prices::built_in().date());
  if (!t.user.file.empty()) {
    text += t.user.is_there ? fmt::format("yours: {}\n", t.user.file)
                            : fmt::format("prices of your own go to {}\n", t.user.file);
  }
  return text;
}

// Cost --------------------------------------------------------------------------------------------------------------

/// Adds what the run's agents used.
void add_spent(const Run& run, std::vector<Spent>& spent, std::size_t& rehearsed) {
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepIndex i = step_index(n);
    for (const Attempt& a : run.of(i).attempts) {
      if (!a.told && !run.is_silent(a)) continue;  // a command, or nothing that ever ran
      if (run.interned(a.runtime) == "rehearsal") {
        ++rehearsed;
        continue;
      }
      const auto& work = run.step(i).work;
      const KnownUsage used = known_usage(run, a);
      spent.push_back({a.started == Time{} ? a.admitted : a.started, run.workflow(), model_of(run, a),
                       work == nullptr ? "" : work->skill, used.tokens.value_or(Tokens{}), used.cost, !used.tokens});
    }
  }
}

}  // namespace

int models_verb(const Common& common) {
  auto user = user_prices();
  if (!user) return print(common, user.error()), exit_refused;
  auto all = project_prices();
  if (!all) return print(common, all.error()), exit_refused;
  auto project = Project::open(common);
  if (!project) return print(common, project.error()), exit_refused;
  const Tables tables{std::move(*user), std::move(*all), offered_models(project->config())};
  write_out(STDOUT_FILENO, common.json ? models_json(tables) + "\n" : models_text(tables));
  return exit_done;
}

int cost_verb(const Common& common) {
  auto project = Project::open(common);
  if (!project) return print(common, project.error()), exit_refused;
  std::vector<Spent> spent;
  std::size_t rehearsed = 0;
  auto journal = project->journal_to_read();
  if (!journal && journal.error().code != "journal-missing") return print(common, journal.error()), exit_refused;
  if (journal) {
    auto runs = (*journal)->list();
    if (!runs) return print(common, runs.error()), exit_failed;
    for (const RunSummary& r : *runs) {
      // Most runs of commands used nothing: their events need not be read.
      if (r.tokens.total() == 0 && r.cost && r.cost->nano_usd == 0) continue;
      auto run = load_run(**journal, r.id);
      if (!run) return print(common, run.error()), exit_failed;
      add_spent(*run, spent, rehearsed);
    }
  }
  write_out(STDOUT_FILENO, common.json ? cost_json(spent, rehearsed) + "\n" : cost_text(spent, rehearsed));
  return exit_done;
}

}  // namespace baton::cli

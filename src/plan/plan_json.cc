#include "plan/plan_json.h"

#include <fmt/compile.h>

#include <array>
#include <map>
#include <unordered_map>

#include "base/boost_json.h"
#include "base/number.h"
#include "base/text.h"
#include "base/utf8.h"
#include "text/json_list.h"

namespace baton {
namespace {

namespace json = boost::json;

// Words in the journal, in the order of the enumerators.
constexpr std::array<std::string_view, 17> check_words{"required_field",
                                                       "min_quotes",
                                                       "min_key_points",
                                                       "min_outline_sections",
                                                       "has_hooks",
                                                       "types",
                                                       "enum",
                                                       "min_length",
                                                       "max_length",
                                                       "min_items",
                                                       "max_items",
                                                       "min",
                                                       "max",
                                                       "pattern",
                                                       "equals",
                                                       "schema",
                                                       "command"};
constexpr std::array<std::string_view, 3> on_unknown_words{"retry", "fail", "ask"};
constexpr std::array<std::string_view, 2> format_words{"json", "text"};
constexpr std::array<std::string_view, 4> extends_words{"nothing", "route", "decompose", "review"};

template <class Enum>
constexpr std::size_t ordinal(Enum value) {
  return static_cast<std::size_t>(value);
}

// Writing -------------------------------------------------------------------------------------------------------------

/// Paths may hold any bytes; those that are no text travel as hexadecimal digits, so that nothing is lost.
std::string quote(std::string_view text) {
  if (utf8_fault(text) == std::string_view::npos) return json_quote(text);
  std::string out = R"({"hex":")";
  for (const char c : text) fmt::format_to(std::back_inserter(out), "{:02x}", static_cast<unsigned char>(c));
  return out + "\"}";
}

std::string quote_all(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) {
    if (out.size() > 1) out += ',';
    out += quote(text);
  }
  return out + "]";
}

std::string check_json(const Check& check) {
  std::string out = fmt::format(FMT_COMPILE(R"({{"kind":"{}","path":{},"count":{})"), check_words[ordinal(check.kind)],
                                quote(check.path), check.count);
  if (!check.value.empty()) out += R"(,"value":)" + quote(check.value);
  if (!check.step.empty()) out += R"(,"step":)" + quote(check.step);
  if (!check.argv.empty()) out += R"(,"argv":)" + quote_all(check.argv);
  if (!check.env.empty()) out += R"(,"env":)" + quote_all(check.env);
  return out + "}";
}

std::string budget_json(const StepBudget& budget) {
  const std::string usd = budget.nano_usd ? fmt::format(FMT_COMPILE(R"("nano_usd":{},)"), *budget.nano_usd) : "";
  return fmt::format(FMT_COMPILE(R"(,"budget":{{{}"tokens":{},"turns":{}}})"), usd, budget.tokens, budget.turns);
}

/// Only what is not empty: a plan may have a million of these.
std::string work_json(const Work& work) {
  std::string out = fmt::format(FMT_COMPILE(R"({{"title":{})"), quote(work.title));
  const auto add_text = [&](const char* key, std::string_view text) {
    if (!text.empty()) out += fmt::format(FMT_COMPILE(R"(,"{}":{})"), key, quote(text));
  };
  const auto add_all = [&](const char* key, const std::vector<std::string>& texts) {
    if (!texts.empty()) out += fmt::format(FMT_COMPILE(R"(,"{}":{})"), key, quote_all(texts));
  };
  add_text("skill", work.skill);
  add_text("mission", work.mission);
  add_all("command", work.command);
  add_all("env", work.env);
  add_all("inputs", work.inputs);
  add_text("output", work.output);
  if (work.output_format != OutputFormat::json) add_text("output_format", format_words[ordinal(work.output_format)]);
  add_text("runtime", work.runtime);
  add_text("model", work.model);
  add_text("mode", work.mode);
  if (!work.checks.empty()) {
    out += R"(,"checks":[)";
    for (std::size_t i = 0; i < work.checks.size(); ++i) out += (i > 0 ? "," : "") + check_json(work.checks[i]);
    out += ']';
  }
  if (work.budget.is_set()) out += budget_json(work.budget);
  if (work.answers) out += R"(,"answers":true)";
  if (work.reviews) out += R"(,"reviews":true)";
  if (work.extends != Extends::nothing)
    out += fmt::format(FMT_COMPILE(R"(,"extends":"{}")"), extends_words[ordinal(work.extends)]);
  if (!work.sub_task.empty()) out += R"(,"sub_task":)" + quote(work.sub_task);
  if (!work.tree.empty()) out += R"(,"tree":)" + quote(work.tree);
  if (work.timeout.count() > 0) out += fmt::format(FMT_COMPILE(R"(,"timeout_ms":{})"), work.timeout.count());
  if (!work.notes.empty()) out += R"(,"notes":)" + quote_all(work.notes);
  if (!work.also.empty()) out += R"(,"also":)" + quote_all(work.also);
  return out + "}";
}

std::string policy_json(const Policy& policy) {
  const std::string stall =
      policy.stall.count() == 0 ? "" : fmt::format(FMT_COMPILE(R"(,"stall_ms":{})"), policy.stall.count());
  const std::string checks =
      policy.check_retries == 0 ? "" : fmt::format(FMT_COMPILE(R"(,"check_retries":{})"), policy.check_retries);
  const std::string limits =
      policy.limit_retries == 0 ? "" : fmt::format(FMT_COMPILE(R"(,"limit_retries":{})"), policy.limit_retries);
  std::string blocks = policy.timeout_blocks ? R"(,"timeout_blocks":true)" : "";
  if (policy.empty_is_final) blocks += R"(,"empty_is_final":true)";
  if (policy.fail_fast) blocks += R"(,"fail_fast":true)";
  if (policy.timeout_pauses) blocks += R"(,"timeout_pauses":true)";
  return fmt::format(
      R"({{"retries":{},"on_unknown":"{}","timeout_ms":{},"retry_delay_ms":{},"stop_grace_ms":{}{}{}{}}})",
      policy.retries, on_unknown_words[ordinal(policy.on_unknown)], policy.timeout.count(), policy.retry_delay.count(),
      policy.stop_grace.count(), stall, checks + limits, blocks);
}

std::string flow_json(const Flow& flow);

/// Collects what many steps share into tables, so that a plan of a million like steps stays small.
class StepWriter {
 public:
  void add(const Step& step) {
    if (!steps_.empty()) steps_ += ',';
    steps_ += R"({"id":)" + quote(step.id);
    if (!step.needs.empty()) {
      steps_ += R"(,"needs":[)";
      for (std::size_t i = 0; i < step.needs.size(); ++i) {
        fmt::format_to(std::back_inserter(steps_), "{}{}", i > 0 ? "," : "", at(step.needs[i]));
      }
      steps_ += ']';
    }
    if (step.work != nullptr) fmt::format_to(std::back_inserter(steps_), R"(,"work":{})", work_number(*step.work));
    fmt::format_to(std::back_inserter(steps_), R"(,"policy":{})", policy_number(step.policy));
    if (step.flow != nullptr) steps_ += R"(,"flow":)" + flow_json(*step.flow);
    if (step.final) steps_ += R"(,"final":true)";
    steps_ += '}';
  }

  [[nodiscard]] std::string members() const {
    return fmt::format(FMT_COMPILE(R"("works":[{}],"policies":[{}],"steps":[{}])"), works_, policies_, steps_);
  }

 private:
  std::size_t work_number(const Work& work) {
    const auto [entry, is_new] = work_numbers_.try_emplace(&work, work_numbers_.size());
    if (is_new) {
      if (!works_.empty()) works_ += ',';
      works_ += work_json(work);
    }
    return entry->second;
  }

  std::size_t policy_number(const Policy& policy) {
    const auto [entry, is_new] = policy_numbers_.try_emplace(policy, policy_numbers_.size());
    if (is_new) {
      if (!policies_.empty()) policies_ += ',';
      policies_ += policy_json(policy);
    }
    return entry->second;
  }

  std::string works_;
  std::string policies_;
  std::string steps_;
  std::unordered_map<const Work*, std::size_t> work_numbers_;
  std::map<Policy, std::size_t> policy_numbers_;
};

/// Only what is not as it is by default: most flows say one thing.
std::string flow_json(const Flow& flow) {
  std::string out;
  const auto add = [&](const char* key, const std::string& value) {
    out += fmt::format(FMT_COMPILE(R"({}"{}":{})"), out.empty() ? "" : ",", key, value);
  };
  const auto add_text = [&](const char* key, const std::string& text) {
    if (!text.empty()) add(key, quote(text));
  };
  add_text("when", flow.when);
  add_text("for_each", flow.for_each);
  add_text("until", flow.until);
  if (flow.loop_max != 0) add("loop_max", fmt::format("{}", flow.loop_max));
  if (flow.gate) add("gate", "true");
  add_text("question", flow.question);
  if (flow.tree) add("tree", "true");
  if (flow.deferred) add("deferred", "true");
  if (!flow.body.empty()) add("body", to_json(flow.body));
  add_text("sandbox", flow.sandbox);
  add_text("item", flow.item);
  if (flow.index != 0) add("index", fmt::format("{}", flow.index));
  return "{" + out + "}";
}

// Reading -------------------------------------------------------------------------------------------------------------

/// Thrown inside this file only: Boost.JSON's accessors throw too, and one place turns both into a fault.
struct BadPlan : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string text_of(const json::value& value) {
  if (const auto* text = value.if_string()) return std::string{std::string_view{*text}};
  const std::string_view digits = value.as_object().at("hex").as_string();
  if (digits.size() % 2 != 0) throw BadPlan{"an odd number of hexadecimal digits"};
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const auto byte = parse_hex<unsigned char>(digits.substr(i, 2));
    if (!byte) throw BadPlan{"not a hexadecimal digit"};
    bytes += static_cast<char>(*byte);
  }
  return bytes;
}

std::vector<std::string> texts_of(const json::value& value) {
  std::vector<std::string> texts;
  for (const json::value& item : value.as_array()) texts.push_back(text_of(item));
  return texts;
}

template <class Enum, std::size_t N>
Enum word_of(const json::value& value, const std::array<std::string_view, N>& words) {
  const std::string_view word = value.as_string();
  for (std::size_t i = 0; i < N; ++i) {
    if (words[i] == word) return static_cast<Enum>(i);
  }
  throw BadPlan{"unknown word '" + std::string{word} + "'"};
}

Check check_from(const json::object& object) {
  Check check;
  check.kind = word_of<Check::Kind>(object.at("kind"), check_words);
  check.path = text_of(object.at("path"));
  check.count = object.at("count").to_number<std::int64_t>();
  if (const json::value* value = object.if_contains("value")) check.value = text_of(*value);
  if (const json::value* step = object.if_contains("step")) check.step = text_of(*step);
  if (const json::value* argv = object.if_contains("argv")) check.argv = texts_of(*argv);
  if (const json::value* env = object.if_contains("env")) check.env = texts_of(*env);
  return check;
}

StepBudget budget_from(const json::object& object) {
  StepBudget budget{.nano_usd = std::nullopt,
                    .tokens = object.at("tokens").to_number<std::int64_t>(),
                    .turns = object.at("turns").to_number<std::int64_t>()};
  if (const json::value* usd = object.if_contains("nano_usd")) budget.nano_usd = usd->to_number<std::int64_t>();
  return budget;
}

/// Empty where it is not written.
std::string text_at(const json::object& object, const char* key) {
  const json::value* value = object.if_contains(key);
  return value == nullptr ? std::string{} : text_of(*value);
}

std::shared_ptr<const Work> work_from(const json::object& object) {
  auto work = std::make_shared<Work>();
  const auto text = [&](const char* key) { return text_at(object, key); };
  const auto texts = [&](const char* key) {
    const json::value* value = object.if_contains(key);
    return value == nullptr ? std::vector<std::string>{} : texts_of(*value);
  };
  work->title = text_of(object.at("title"));
  work->skill = text("skill");
  work->mission = text("mission");
  work->command = texts("command");
  work->env = texts("env");
  work->inputs = texts("inputs");
  work->output = text("output");
  if (const json::value* format = object.if_contains("output_format")) {
    work->output_format = word_of<OutputFormat>(*format, format_words);
  }
  work->runtime = text("runtime");
  work->model = text("model");
  work->mode = text("mode");
  if (const json::value* checks = object.if_contains("checks")) {
    for (const json::value& item : checks->as_array()) work->checks.push_back(check_from(item.as_object()));
  }
  if (const json::value* budget = object.if_contains("budget")) work->budget = budget_from(budget->as_object());
  work->answers = object.contains("answers");
  work->reviews = object.contains("reviews");
  if (const json::value* extends = object.if_contains("extends"))
    work->extends = word_of<Extends>(*extends, extends_words);
  if (const json::value* sub_task = object.if_contains("sub_task")) work->sub_task = text_of(*sub_task);
  if (const json::value* tree = object.if_contains("tree")) work->tree = text_of(*tree);
  if (const json::value* timeout = object.if_contains("timeout_ms")) {
    work->timeout = Millis{timeout->to_number<std::int64_t>()};
  }
  if (const json::value* notes = object.if_contains("notes")) work->notes = texts_of(*notes);
  if (const json::value* also = object.if_contains("also")) work->also = texts_of(*also);
  return work;
}

Policy policy_from(const json::object& object) {
  const json::value* stall = object.if_contains("stall_ms");
  const json::value* check_retries = object.if_contains("check_retries");
  const json::value* limit_retries = object.if_contains("limit_retries");
  return {.retries = object.at("retries").to_number<std::int32_t>(),
          .check_retries = check_retries == nullptr ? 0 : check_retries->to_number<std::int32_t>(),
          .limit_retries = limit_retries == nullptr ? 0 : limit_retries->to_number<std::int32_t>(),
          .on_unknown = word_of<OnUnknown>(object.at("on_unknown"), on_unknown_words),
          .timeout = Millis{object.at("timeout_ms").to_number<std::int64_t>()},
          .retry_delay = Millis{object.at("retry_delay_ms").to_number<std::int64_t>()},
          .stop_grace = Millis{object.at("stop_grace_ms").to_number<std::int64_t>()},
          .stall = Millis{stall == nullptr ? 0 : stall->to_number<std::int64_t>()},
          .timeout_blocks = object.contains("timeout_blocks"),
          .timeout_pauses = object.contains("timeout_pauses"),
          .empty_is_final = object.contains("empty_is_final"),
          .fail_fast = object.contains("fail_fast")};
}

std::vector<Step> steps_from(const json::object& root);

std::shared_ptr<const Flow> flow_from(const json::object& object) {
  auto flow = std::make_shared<Flow>();
  const auto text = [&](const char* key) { return text_at(object, key); };
  const auto truth = [&](const char* key) {
    const json::value* value = object.if_contains(key);
    return value != nullptr && value->as_bool();
  };
  const auto number = [&](const char* key) {
    const json::value* value = object.if_contains(key);
    return value == nullptr ? 0 : value->to_number<std::int32_t>();
  };
  flow->when = text("when");
  flow->for_each = text("for_each");
  flow->until = text("until");
  flow->loop_max = number("loop_max");
  flow->gate = truth("gate");
  flow->question = text("question");
  flow->tree = truth("tree");
  flow->deferred = truth("deferred");
  if (const json::value* body = object.if_contains("body")) flow->body = steps_from(body->as_object());
  flow->sandbox = text("sandbox");
  flow->item = text("item");
  flow->index = number("index");
  return flow;
}

/// Makes steps of what is recorded of them. What they share is recorded beside them.
class StepReader {
 public:
  explicit StepReader(const json::object& root) {
    for (const json::value& item : root.at("works").as_array()) works_.push_back(work_from(item.as_object()));
    for (const json::value& item : root.at("policies").as_array()) policies_.push_back(policy_from(item.as_object()));
  }

  [[nodiscard]] Step step(const json::object& object) const {
    Step step;
    step.id = text_of(object.at("id"));
    if (const json::value* needs = object.if_contains("needs")) {
      step.needs.reserve(needs->as_array().size());
      for (const json::value& need : needs->as_array())
        step.needs.push_back(StepIndex{need.to_number<std::uint32_t>()});
    }
    if (const json::value* work = object.if_contains("work")) step.work = works_.at(work->to_number<std::size_t>());
    if (const json::value* flow = object.if_contains("flow")) step.flow = flow_from(flow->as_object());
    step.policy = policies_.at(object.at("policy").to_number<std::size_t>());
    step.final = object.contains("final") && object.at("final").as_bool();
    return step;
  }

 private:
  std::vector<std::shared_ptr<const Work>> works_;
  std::vector<Policy> policies_;
};

void check_needs(const std::vector<Step>& steps, std::size_t steps_before) {
  for (const Step& step : steps) {
    for (const StepIndex need : step.needs) {
      if (at(need) >= steps_before + steps.size())
        throw BadPlan{"step '" + step.id + "' needs a step that does not exist"};
    }
  }
}

std::vector<Step> steps_from(const json::object& root) {
  const StepReader reader{root};
  std::vector<Step> steps;
  for (const json::value& item : root.at("steps").as_array()) steps.push_back(reader.step(item.as_object()));
  check_needs(steps, 0);
  return steps;
}

/// The same of a list that may be long: its items become values one by one.
std::vector<Step> steps_from(const json::object& root, JsonList list, std::size_t steps_before) {
  const StepReader reader{root};
  std::vector<Step> steps;
  std::array<unsigned char, 4096> first_bytes;
  json::monotonic_resource memory{first_bytes.data(), first_bytes.size()};
  json::parser parser;
  constexpr std::size_t enough_to_judge = 1000;
  while (const auto text = list.next()) {
    memory.release();
    parser.reset(&memory);
    parser.write(*text);
    steps.push_back(reader.step(parser.release().as_object()));
    if (steps.size() == enough_to_judge) steps.reserve(list.expected());
  }
  check_needs(steps, steps_before);
  return steps;
}

/// Reads `text` with `read`, turning everything that can be wrong with it into one fault.
template <class Read>
auto read_recorded(std::string_view text, Read read)
    -> Expected<decltype(read(std::declval<const json::object&>(), std::declval<JsonList>()))> {
  try {
    const WithoutList parts = take_out_list(text, "steps");
    json::monotonic_resource memory;
    return read(json::parse(parts.rest, &memory).as_object(), JsonList{parts.list});
  } catch (const std::exception& problem) {
    return fault("bad-plan-record", fmt::format("a recorded plan cannot be read: {}", problem.what()),
                 "the journal was damaged or written by another version of Baton");
  }
}

}  // namespace

std::string to_json(const std::vector<Step>& steps) {
  StepWriter writer;
  for (const Step& step : steps) writer.add(step);
  return "{" + writer.members() + "}";
}

std::string to_json(const Plan& plan) {
  StepWriter writer;
  for (const Step& step : plan.steps) writer.add(step);
  return fmt::format(FMT_COMPILE(R"({{"workflow":{},"dialect":{},"version":{},"source":{},{}}})"), quote(plan.workflow),
                     quote(plan.dialect), quote(plan.version), quote(plan.source), writer.members());
}

Expected<std::vector<Step>> steps_from_json(std::string_view text, std::size_t steps_before) {
  return read_recorded(text, [&](const json::object& root, const JsonList& list) {  //
    return steps_from(root, list, steps_before);
  });
}

Expected<Plan> plan_from_json(std::string_view text) {
  return read_recorded(text, [](const json::object& root, const JsonList& list) {
    return Plan{.workflow = text_of(root.at("workflow")),
                .dialect = text_of(root.at("dialect")),
                .version = text_of(root.at("version")),
                .source = text_of(root.at("source")),
                .steps = steps_from(root, list, 0)};
  });
}

}  // namespace baton

// Reads a table of prices. Boost.JSON stays in here.
#include <fmt/core.h>

#include <cmath>

#include "base/boost_json.h"
#include "base/text.h"
#include "price/prices.h"

namespace baton {

namespace json = boost::json;

namespace {

constexpr double usd_per_million_max = 1000;
constexpr double pico_usd_of_one = 1e6;  // dollars per million tokens -> billionths of a thousandth of a dollar each

}  // namespace

class PricesReader {
 public:
  PricesReader(Prices base, const std::string& file) : prices_{std::move(base)}, file_{file} {}

  std::expected<Prices, Faults> read(std::string_view text) {
    boost::system::error_code error;
    const json::value root = json::parse({text.data(), text.size()}, error);
    if (error) {
      fault("the table of prices is not valid JSON", error.message());
    } else if (!root.is_object()) {
      fault("a table of prices has to be an object", "with the members date, models and aliases");
    } else {
      read_table(root.get_object());
    }
    if (!faults_.empty()) return std::unexpected(std::move(faults_));
    return std::move(prices_);
  }

 private:
  void read_table(const json::object& table) {
    for (const auto& [key, value] : table) {
      if (key == "date" && value.is_string()) {
        prices_.date_ = value.get_string();
      } else if (key == "models" && value.is_object()) {
        for (const auto& [id, price] : value.get_object()) read_model(std::string{id}, price);
      } else if (key == "aliases" && value.is_object()) {
        for (const auto& [name, id] : value.get_object()) read_alias(std::string{name}, id);
      } else if (key == "date" || key == "models" || key == "aliases") {
        fault(fmt::format("'{}' has the wrong type", std::string_view{key}), "models and aliases are objects");
      } else if (key != "unit" && key != "source") {
        fault(fmt::format("unknown member '{}'", shorten(key, 60)), "known: date, unit, source, models, aliases");
      }
    }
  }

  void read_alias(const std::string& name, const json::value& id) {
    if (id.is_null()) {
      prices_.aliases_.erase(name);
    } else if (id.is_string()) {
      prices_.aliases_[name] = id.get_string();
    } else {
      fault(fmt::format("alias '{}' has to name a model", shorten(name, 60)), "");
    }
  }

  void read_model(const std::string& id, const json::value& value) {
    if (value.is_null()) {
      prices_.models_.erase(id);
      return;
    }
    if (!value.is_object()) {
      fault(fmt::format("the price of '{}' has to be an object", shorten(id, 60)),
            R"(such as {"input": 3, "output": 15, "cache_read": 0.3, "cache_write": 3.75})");
      return;
    }
    const json::object& members = value.get_object();
    ModelPrice price;
    price.prices = read_prices(id, members);
    if (const json::value* above = members.if_contains("above")) read_above(id, *above, price);
    prices_.models_[id] = price;
  }

  void read_above(const std::string& id, const json::value& value, ModelPrice& price) {
    const json::object* members = value.if_object();
    const json::value* bound = members == nullptr ? nullptr : members->if_contains("prompt_tokens");
    if (bound == nullptr || !bound->is_int64() || bound->get_int64() < 0) {
      fault(fmt::format("'above' of '{}' has to say from how many 'prompt_tokens' on it holds", shorten(id, 60)), "");
      return;
    }
    price.above_prompt_tokens = bound->get_int64();
    price.above = read_prices(id, *members);
  }

  TokenPrices read_prices(const std::string& id, const json::object& members) {
    for (const auto& [key, value] : members) {
      const bool is_known = key == "input" || key == "output" || key == "cache_read" || key == "cache_write" ||
                            key == "cache_write_1h" || key == "above" || key == "prompt_tokens";
      if (!is_known) {
        fault(fmt::format("unknown member '{}' of '{}'", shorten(key, 60), shorten(id, 60)),
              "known: input, output, cache_read, cache_write, cache_write_1h, above");
      }
    }
    TokenPrices prices;
    prices.input = number(id, members, "input").value_or(0);
    prices.output = number(id, members, "output").value_or(0);
    if (!members.contains("input") || !members.contains("output")) {
      fault(fmt::format("the price of '{}' lacks 'input' or 'output'", shorten(id, 60)), "give both");
    }
    prices.cache_read = number(id, members, "cache_read").value_or(prices.input);
    prices.cache_write = number(id, members, "cache_write").value_or(prices.input);
    prices.cache_write_1h = number(id, members, "cache_write_1h").value_or(prices.cache_write);
    return prices;
  }

  std::optional<std::int64_t> number(const std::string& id, const json::object& members, std::string_view key) {
    const json::value* value = members.if_contains(key);
    if (value == nullptr) return std::nullopt;
    boost::system::error_code error;
    const auto usd = value->to_number<double>(error);
    if (!error && usd >= 0 && usd <= usd_per_million_max) {
      return static_cast<std::int64_t>(std::llround(usd * pico_usd_of_one));
    }
    fault(fmt::format("'{}' of '{}' has to be a number from 0 to {}", key, shorten(id, 60), usd_per_million_max),
          "dollars per million tokens");
    return std::nullopt;
  }

  void fault(std::string message, std::string help) {
    faults_.push_back(Fault{"bad-prices", std::move(message), std::move(help), {file_, 0, 0}});
  }

  Prices prices_;
  const std::string& file_;
  Faults faults_;
};

std::expected<Prices, Faults> Prices::read(std::string_view text, const std::string& file) {
  return PricesReader{Prices{}, file}.read(text);
}

std::expected<Prices, Faults> Prices::overridden_by(std::string_view text, const std::string& file) const {
  return PricesReader{*this, file}.read(text);
}

}  // namespace baton

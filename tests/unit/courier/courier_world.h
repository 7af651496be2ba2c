#pragma once

#include <signal.h>

#include <memory>
#include <string>

#include "base/boost_json.h"
#include "support/holder_world.h"
#include "support/scripted_http.h"

namespace baton::test {

namespace json = boost::json;

/// How a call ended, as its files and its record tell it.
struct Outcome {
  int exit = -1;
  std::string out;
  std::string err;
  json::object transfer;

  std::string word() const {
    if (exit == 0 && err.empty()) return "complete";
    const auto* found = transfer.if_contains("transfer");
    return found == nullptr ? "nothing" : std::string{found->as_string()};
  }
  std::string message() const { return std::string{transfer.at("message").as_string()}; }
  std::int64_t bytes() const { return transfer.at("bytes").as_int64(); }
  std::string head() const { return out.substr(0, out.find("\n\n") + 1); }
  std::string body() const {
    const auto end = out.find("\n\n");
    return end == std::string::npos ? "" : out.substr(end + 2);
  }
};

/// A state folder with a real holder, which starts a real courier, and a scripted server on loopback.
class CourierWorld : public HolderWorld {
 protected:
  static constexpr const char* key = "sk-canary-0123456789abcdef";

  CourierWorld() : courier_environment{std::string{"TEST_KEY="} + key, "BATON_COURIER_IDLE_MS=60000"} {}
  ~CourierWorld() override {
    driver_.reset();
    if (const pid_t courier = courier_pid(); courier > 0) ::kill(courier, SIGKILL);
  }

  HolderOptions call_options() const {
    HolderOptions its = options();
    its.environment.insert(its.environment.end(), courier_environment.begin(), courier_environment.end());
    return its;
  }
  std::unique_ptr<Engine> new_driver(const std::string& run = "r") const {
    auto fresh = std::make_unique<Engine>(call_options());
    const auto seen = fresh->client->attach(run);
    EXPECT_TRUE(seen.has_value()) << (seen ? "" : seen.error().message);
    return fresh;
  }
  Engine& driver() {
    if (!driver_) driver_ = new_driver();
    return *driver_;
  }

  /// A request of the given members, with sane ones where none are given.
  json::object request(const std::string& url, const std::string& more = "{}") const {
    json::object members = json::parse(R"({"version":1,"method":"POST","headers":[["content-type","application/json"]],
        "auth":{"header":"x-api-key","prefix":"","source":{"env":"TEST_KEY"}},"body":"{\"stream\":true}",
        "idle_timeout_ms":20000,"connect_timeout_ms":10000})")
                               .as_object();
    members["url"] = url;
    const json::value added = json::parse(more);
    for (const auto& [name, value] : added.as_object()) members[name] = value;
    return members;
  }
  SpawnSpec call_spec(const AttemptKey& key_of, const json::object& members) const {
    SpawnSpec spec = shell(key_of, "");
    spec.argv.clear();
    spec.request_path = spec.stdout_path + ".request";
    write_text(spec.request_path, json::serialize(members));
    return spec;
  }
  AttemptKey next_key() { return {"r", "s", ++attempts_}; }

  AttemptKey begin(const json::object& members) {
    const AttemptKey fresh = next_key();
    driver().spawn(call_spec(fresh, members));
    return fresh;
  }
  Outcome outcome(const AttemptKey& of, const ExitRecord* record) const {
    Outcome its{.out = out(of),
                .err = read_text(folder / (of.run + "-" + of.step + "-" + std::to_string(of.attempt) + ".err"))};
    if (record != nullptr && record->exit) its.exit = *record->exit;
    boost::system::error_code error;
    const auto end = its.err.find_last_of('\n', its.err.size() - 2);
    const json::value last = json::parse(its.err.substr(end == std::string::npos ? 0 : end + 1), error);
    if (!error && last.is_object()) its.transfer = last.as_object();
    return its;
  }
  Outcome finish(const AttemptKey& of) {
    EXPECT_TRUE(driver().until([&] { return driver().exit_of(of) != nullptr || driver().was_lost(of); }));
    return outcome(of, driver().exit_of(of));
  }
  Outcome call(const json::object& members) { return finish(begin(members)); }
  Outcome call(const std::string& url, const std::string& more = "{}") { return call(request(url, more)); }

  /// The courier's process, 0 if none runs.
  pid_t courier_pid() const {
    const pid_t holder = holder_pid();
    if (holder == 0) return 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string name = entry.path().filename().string();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      const std::string status = read_text(entry.path() / "status");
      if (status.find("Name:\tbaton-courier\n") != std::string::npos &&
          status.find("\nPPid:\t" + std::to_string(holder) + "\n") != std::string::npos) {
        return static_cast<pid_t>(std::stol(name));
      }
    }
    return 0;
  }

  std::vector<std::string> courier_environment;

 private:
  std::unique_ptr<Engine> driver_;
  int attempts_ = 0;
};

}  // namespace baton::test

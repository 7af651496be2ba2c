#include "cli/offered_models.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/socket.h>

#include <chrono>
#include <filesystem>

#include "base/frame.h"
#include "base/text.h"
#include "cli/api_settings.h"
#include "engine/real_files.h"
#include "host/program_path.h"
#include "io/descriptor.h"
#include "io/environment.h"
#include "io/program.h"
#include "io/scratch_folder.h"
#include "runtime/api/response_reader.h"
#include "runtime/api/trouble.h"

namespace baton::cli {
namespace {

namespace fs = std::filesystem;

constexpr Millis patience{10'000};
constexpr Millis connect_patience{3'000};
constexpr std::size_t list_bytes_max = 16U << 20U;

/// Where requests and answers lie.
struct Desk : ScratchFolder {
  Desk() : ScratchFolder{"models"} {}
  [[nodiscard]] std::string request(std::size_t n) const { return file(fmt::format("{}.json", n)); }
  [[nodiscard]] std::string out(std::size_t n) const { return file(fmt::format("{}.out", n)); }
  [[nodiscard]] std::string err(std::size_t n) const { return file(fmt::format("{}.err", n)); }
};

/// A courier that works for us alone, as it does for the holder.
class OwnCourier {
 public:
  explicit OwnCourier(const Desk& desk) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
    socket_ = Descriptor{ends[0]};
    const Descriptor theirs{ends[1]};
    const std::string log = desk.path() + "/courier.log";
    const auto started = start_program({.argv = {sibling_program("baton-courier"), "1"},
                                        .env = {},
                                        .cwd = "/",
                                        .stdout_path = log,
                                        .stderr_path = log,
                                        .stdin_fd = theirs.get()});
    if (started) {
      pid_ = *started;
    } else {
      trouble_ = started.error();
    }
  }
  ~OwnCourier() {
    socket_.close();
    if (pid_ > 0) (void)wait_for_end(pid_);  // it leaves when we are gone
  }
  OwnCourier(const OwnCourier&) = delete;
  OwnCourier& operator=(const OwnCourier&) = delete;

  [[nodiscard]] bool is_there() const { return pid_ > 0; }
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

  void say(const Message& message) const {
    const std::string bytes = encode_frame(message);
    for (std::string_view frame = bytes; !frame.empty();) {
      const ssize_t size = ::send(socket_.get(), frame.data(), frame.size(), MSG_NOSIGNAL);
      if (size <= 0) return;
      frame.remove_prefix(static_cast<std::size_t>(size));
    }
  }

  /// Until so many calls have ended, or it takes too long.
  void hear(std::size_t calls) {
    const auto until = std::chrono::steady_clock::now() + patience + Millis{1000};
    std::string bytes;
    while (calls > 0) {
      const auto left = std::chrono::duration_cast<Millis>(until - std::chrono::steady_clock::now()).count();
      pollfd ready{.fd = socket_.get(), .events = POLLIN, .revents = 0};
      if (left <= 0 || ::poll(&ready, 1, static_cast<int>(left)) == 0) return;
      char chunk[4096];
      const ssize_t size = ::read(socket_.get(), chunk, sizeof chunk);
      if (size <= 0) return;
      bytes.append(chunk, static_cast<std::size_t>(size));
      for (Decoded next = decode_frame(bytes); next.kind == Decoded::Kind::whole; next = decode_frame(bytes)) {
        if (!next.message.empty() && next.message.front() == "ended") --calls;
        bytes.erase(0, next.size);
        if (calls == 0) return;
      }
    }
  }

 private:
  Descriptor socket_;
  pid_t pid_ = 0;
  std::string trouble_;
};

api::HttpRequest list_request(const ApiSettings& settings) {
  const bool is_messages = settings.protocol == api::Protocol::messages;
  api::HttpRequest http;
  http.method = "GET";
  http.url = api::endpoint(settings.protocol, settings.base_url, is_messages ? "v1/models?limit=1000" : "v1/models");
  http.auth = settings.auth;
  http.headers = {{"accept", "application/json"}, {"user-agent", "baton/" BATON_VERSION}};
  if (is_messages) http.headers.emplace_back("anthropic-version", settings.version);
  http.headers.insert(http.headers.end(), settings.headers.begin(), settings.headers.end());
  http.headers_variable = settings.headers_variable;
  http.connect_timeout = connect_patience;
  http.idle_timeout = patience;
  http.deadline = patience;
  http.proxy = settings.proxy;
  http.ca_file = settings.ca_file;
  return http;
}

std::string listed_text(const std::string& path) {
  auto text = RealFiles{}.read(path, list_bytes_max);
  return text && *text ? std::move(**text) : std::string{};
}

void take_in(const Desk& desk, std::size_t n, api::Protocol protocol, Offer& offer) {
  api::ResponseReader reader{protocol};
  (void)reader.read(listed_text(desk.out(n)));
  (void)reader.end();
  if (reader.has_head() && reader.head().status < 300) {
    if (auto models = api::read_model_list(reader.body())) {
      offer.models = std::move(*models);
    } else {
      offer.trouble = "its answer is no list of models";
    }
    return;
  }
  if (reader.has_head() && reader.has_error()) {
    const auto now = std::chrono::floor<Millis>(std::chrono::system_clock::now());
    offer.trouble = api::told_trouble(reader.error(), reader.head(), now).message;
    return;
  }
  const auto lines = split(trim(listed_text(desk.err(n))), '\n');
  const auto end = lines.empty() ? std::nullopt : api::transfer_end(lines.back());
  offer.trouble = end ? api::transfer_trouble(*end, nullptr).message : "it did not answer";
}

}  // namespace

std::vector<Offer> offered_models(const Config& config) {
  std::vector<Offer> offers;
  std::vector<ApiSettings> settings;
  for (const std::string& runtime : api_runtimes()) {
    const Faults wrong = api_faults(config, runtime);
    if (!wrong.empty() && wrong.front().code == "runtime-not-found") continue;  // nobody set it up
    settings.push_back(api_settings(config, runtime, ""));
    offers.push_back({runtime, wrong.empty() ? list_request(settings.back()).url : "nobody"});
    if (!wrong.empty()) offers.back().trouble = wrong.front().message;
  }
  if (offers.empty()) return offers;
  const Desk desk;
  OwnCourier courier{desk};
  const auto none = [&](const std::string& why) {
    for (Offer& offer : offers) offer.trouble = why;
    return offers;
  };
  if (!desk.is_there()) return none(fmt::format("no folder for its answer: {}", ::strerror(errno)));
  if (!courier.is_there()) return none(courier.trouble());
  Message around{"environment", "models", fs::current_path().string()};
  put_list(around, own_environment());
  courier.say(around);
  std::size_t calls = 0;
  for (std::size_t n = 0; n < offers.size(); ++n) {
    if (!offers[n].trouble.empty()) continue;
    if (!RealFiles{}.write(desk.request(n), api::request_file(list_request(settings[n]), ""))) continue;
    courier.say({"call", std::to_string(n + 1), "models", desk.request(n), desk.out(n), desk.err(n)});
    ++calls;
  }
  courier.hear(calls);
  for (std::size_t n = 0; n < offers.size(); ++n) {
    if (offers[n].trouble.empty()) take_in(desk, n, settings[n].protocol, offers[n]);
  }
  return offers;
}

}  // namespace baton::cli

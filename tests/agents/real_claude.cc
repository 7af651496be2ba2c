#include "agents/real_claude.h"

#include <stdlib.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <filesystem>

extern char** environ;

namespace baton::test {

namespace fs = std::filesystem;

namespace {

/// The program, or why there is none.
struct Found {
  std::string path;
  std::string why_not;
};

std::map<std::string, std::string> own_environment() {
  std::map<std::string, std::string> all;
  for (char** e = environ; *e != nullptr; ++e) {
    const std::string entry{*e};
    all[entry.substr(0, entry.find('='))] = entry.substr(entry.find('=') + 1);
  }
  return all;
}

/// Fetched once for all tests; at once if it was fetched before.
const Found& the_claude() {
  static const Found found = [] {
    std::string pattern = (fs::temp_directory_path() / "baton-get-XXXXXX").string();
    const std::string folder = ::mkdtemp(pattern.data());
    Process getting{{{"bash", source_folder() + "/tools/get-claude.sh"},
                     folder,
                     own_environment(),
                     folder + "/out",
                     folder + "/err"}};
    const Outcome got = getting.wait(std::chrono::minutes{6});
    fs::remove_all(folder);
    const auto lines = lines_of(got.out);
    return got.code == 0 && !lines.empty() ? Found{lines.back(), ""} : Found{"", got.err};
  }();
  return found;
}

}  // namespace

// --- The model service ------------------------------------------------------------------------------------------

FakeApi::FakeApi() {
  // Bound and not listening: nobody else gets the port, and the service may still share it.
  reserved_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  ::setsockopt(reserved_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool bound = ::bind(reserved_, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                     ::getsockname(reserved_, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  EXPECT_TRUE(bound) << strerror(errno);
  port_ = ntohs(address.sin_port);
}

FakeApi::~FakeApi() {
  server_.reset();
  ::close(reserved_);
}

void FakeApi::start(const json::array& rules) {
  server_ = std::make_unique<ScriptedHttp>(
      ScriptedHttp::Launch{.program = "scripted_model.py", .script = json::serialize(rules), .port = port_});
}

std::vector<json::object> FakeApi::requests() {
  std::vector<json::object> asked;
  if (server_ == nullptr) return asked;
  const json::value seen = parse_json(server_->seen());
  for (const json::value& request : seen.at("seen").as_array()) {
    if (text_at(request.as_object(), "method") == "POST") asked.push_back(request.as_object());
  }
  return asked;
}

// --- The fixture ------------------------------------------------------------------------------------------------

void RealClaude::SetUp() {
  if (the_claude().path.empty()) GTEST_SKIP() << the_claude().why_not;
  write_skill(place, "allowed-tools: Bash\n");
  place.write("wait.sh", "#!/bin/sh\necho $$ > tool.pid\nwhile [ ! -e go ]; do :; done\necho waited\n");
  fs::permissions(place.file("wait.sh"), fs::perms::owner_all);
  const std::string home = place.env["HOME"];
  fs::create_directories(home + "/tmp");
  place.env["PATH"] = fs::path{the_claude().path}.parent_path().string() + ":" + place.env["PATH"];
  place.env["TMPDIR"] = home + "/tmp";
  place.env["CLAUDE_CONFIG_DIR"] = home + "/claude-config";
  place.env["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"] = "1";
  place.env["ANTHROPIC_BASE_URL"] = api.url();
  place.env["ANTHROPIC_API_KEY"] = key;
  place.env["CLAUDECODE"] = "1";  // as if we were started by an agent ourselves
}

json::array RealClaude::joined(std::initializer_list<json::array> parts) {
  json::array all;
  for (const json::array& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

json::object RealClaude::waits() const { return {{"shell", "./wait.sh"}}; }

pid_t RealClaude::tool_pid() const {
  EXPECT_TRUE(eventually([&] { return place.read("tool.pid").ends_with('\n'); })) << "the tool never began";
  return static_cast<pid_t>(std::stol("0" + place.read("tool.pid")));
}

pid_t RealClaude::claude_pid() const {
  const std::vector<pid_t> found = place.living("claude");
  EXPECT_EQ(found.size(), 1U);
  return found.size() == 1 ? found.front() : 0;
}

std::string RealClaude::code_of(const std::string& step, std::size_t n) {
  const json::object attempt = attempt_of(place.show(), step, n);
  const json::value* error = attempt.if_contains("error");
  return error == nullptr || !error->is_object() ? "" : text_at(error->as_object(), "code");
}

double RealClaude::cost_in(const json::object& shown) {
  const json::value& cost = shown.at("cost_usd");
  return cost.is_number() ? cost.to_number<double>() : -1;
}

std::vector<std::string> RealClaude::files_with(const std::string& text) const {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator{place.state()}) {
    if (entry.is_regular_file() && has(read_text(entry.path()), text)) found.push_back(entry.path());
  }
  return found;
}

}  // namespace baton::test

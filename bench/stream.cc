// Reads a stream of Claude Code's from a file, in one of two ways. Usage: bench_stream ours|bare FILE, or make FILE MB
// Prints: events seen, megabytes a second, peak memory in MB.
//
// `bare` is the least that a program can do with simdjson: take each line's type. It has the file in memory before its
// time begins; ours reads it piece by piece, as an engine does.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

#include "base/hash.h"
#include "peak.h"
#include "runtime/claude_stream.h"

using namespace baton;

namespace {

constexpr std::size_t piece_bytes = 128U << 10U;  // what was printed since the last look; more is slower

/// Text as code and prose have it: words, quotes, line breaks, now and then something beyond ASCII.
std::string words(std::uint64_t& chance, std::size_t bytes) {
  static const std::vector<std::string> pieces = {"the ",         "return ",       "value ", "\\n    ",
                                                  "std::string ", "\\\"key\\\": ", "if (",   "0x1f, ",
                                                  "naïve ",       "// why ",       "\\t",    "error: "};
  std::string text;
  while (text.size() < bytes) text += pieces[(chance = mix(chance)) % pieces.size()];
  return text;
}

std::string line(std::uint64_t& chance, std::size_t number) {
  const std::string id = "msg_" + std::to_string(number / 3);
  const std::string ends = R"(,"session_id":"00000000-0000-4000-8000-000000000001","uuid":")" + hex(chance) + "\"}\n";
  const auto size = static_cast<std::size_t>((chance = mix(chance)) % 2000);
  const std::string begins = R"({"type":"assistant","message":{"id":")" + id +
                             R"(","type":"message","role":"assistant","model":"claude-opus-5-5","content":[)";
  const std::string usage = R"(],"stop_reason":null,"usage":{"input_tokens":100,"cache_creation_input_tokens":300,)"
                            R"("cache_read_input_tokens":20000,"output_tokens":5}},"parent_tool_use_id":null)";
  switch (number % 3) {
    case 0:
      return begins + R"({"type":"text","text":")" + words(chance, size / 4) + "\"}" + usage + ends;
    case 1:
      return begins + R"({"type":"tool_use","id":"t1","name":"Write","input":{"file_path":"/a/b.cc","content":")" +
             words(chance, size * 2) + "\"}}" + usage + ends;
    default: {
      // The program prints what a tool said twice: for the model, and taken apart.
      const std::string text = words(chance, size * 3);
      return R"({"type":"user","message":{"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","content":")" +
             text + R"("}]},"parent_tool_use_id":null,"tool_use_result":{"stdout":")" + text +
             R"(","stderr":"","interrupted":false})" + ends;
    }
  }
}

void make(const char* path, std::size_t megabytes) {
  std::ofstream out{path, std::ios::binary};
  std::uint64_t chance = 1;
  std::size_t written = 0;
  for (std::size_t number = 0; written < (megabytes << 20U); ++number) {
    const std::string text = line(chance, number);
    out << text;
    written += text.size();
  }
}

struct Reading {
  std::size_t events = 0;
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
};

Reading read_ours(const char* path) {
  Reading reading;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  std::string piece(piece_bytes, '\0');
  ClaudeStream stream;
  for (ssize_t got = 0; (got = read(file, piece.data(), piece.size())) > 0;) {
    reading.events += stream.read({piece.data(), static_cast<std::size_t>(got)}).size();
  }
  close(file);
  reading.events += stream.end().size();
  return reading;
}

Reading read_bare(const char* path) {
  simdjson::padded_string text;
  if (simdjson::padded_string::load(path).get(text) != simdjson::SUCCESS) return {};
  simdjson::ondemand::parser parser;
  Reading reading;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at < end) {
    const auto* stop = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    if (stop == nullptr) stop = end;
    simdjson::ondemand::document document;
    const auto size = static_cast<std::size_t>(stop - at);
    std::string_view type;
    if (parser.iterate(at, size, size + simdjson::SIMDJSON_PADDING).get(document) == simdjson::SUCCESS &&
        document["type"].get_string().get(type) == simdjson::SUCCESS && !type.empty()) {
      ++reading.events;
    }
    at = stop + 1;
  }
  return reading;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view how = argc > 2 ? argv[1] : "";
  if (how == "make" && argc == 4) {
    make(argv[2], std::strtoul(argv[3], nullptr, 10));
    return 0;
  }
  if (how != "ours" && how != "bare") return 2;
  const Reading reading = how == "ours" ? read_ours(argv[2]) : read_bare(argv[2]);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - reading.began).count();
  std::ifstream file{argv[2], std::ios::ate | std::ios::binary};
  const double megabytes = static_cast<double>(file.tellg()) / 1e6;
  std::printf("%zu %.1f %ld\n", reading.events, megabytes / seconds, bench::peak_mb());
  return reading.events > 0 ? 0 : 1;
}

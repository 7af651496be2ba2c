// The page of a run, and what a real browser makes of it.
#include <fmt/core.h>
#include <sys/stat.h>

#include <filesystem>

#include "support/chain_place.h"

namespace baton::test {
namespace {

/// Reads a PNG with 8 bits a channel and prints how bright it is on the whole, from 0 to 255.
constexpr const char* brightness_of = R"py(
import struct, sys, zlib
data = open(sys.argv[1], "rb").read()
at, packed = 8, b""
while at < len(data):
    size, kind = struct.unpack(">I4s", data[at:at + 8])
    if kind == b"IHDR": width, height, depth, color = struct.unpack(">IIBB", data[at + 8:at + 18])
    if kind == b"IDAT": packed += data[at + 8:at + 8 + size]
    at += size + 12
n = {2: 3, 6: 4}[color]
raw, before, total = zlib.decompress(packed), bytearray(width * n), 0
for y in range(height):
    how, row = raw[y * (width * n + 1)], bytearray(raw[y * (width * n + 1) + 1:(y + 1) * (width * n + 1)])
    for i in range(width * n):
        a, b, c = (row[i - n] if i >= n else 0), before[i], (before[i - n] if i >= n else 0)
        p = a + b - c
        near = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
        row[i] = (row[i] + [0, a, b, (a + b) // 2, near][how]) & 255
    total += sum(sum(row[i:i + 3]) for i in range(0, width * n, n))
    before = row
print(total // (width * height * 3))
)py";

template <class Where>
class WithBrowserIn : public Where {
 protected:
  using Where::place;

  static std::string browser() {
    for (const char* path : {"/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"}) {
      if (file_exists(path)) return path;
    }
    return {};
  }
  /// ./dev installs one where the system has a package of it, and says where it has none.
  static bool has_none() {
    const char* names = ::getenv("BATON_NOT_TO_BE_HAD");
    return browser().empty() && names != nullptr && has(names, "chromium");
  }
  Outcome browse(std::vector<std::string> more) {
    std::vector<std::string> argv{browser(),
                                  "--headless",
                                  "--no-sandbox",
                                  "--disable-gpu",
                                  "--hide-scrollbars",
                                  "--user-data-dir=" + place.file("../chromium"),
                                  "--disable-dev-shm-usage"};
    argv.insert(argv.end(), more.begin(), more.end());
    return run_program(argv);
  }
  Outcome run_program(const std::vector<std::string>& argv) {
    const std::string said = place.file("../browsed");
    return Process{{.argv = argv, .cwd = place.root(), .env = place.env, .out_path = said, .err_path = said + ".err"}}
        .wait(std::chrono::seconds{120});
  }
};

class ReportPage : public WithBrowserIn<Outside> {
 protected:
  ReportPage() {
    place.workflow(
        "w", {step("a", "printf '<script>document.title=\"pwned\"</script><b id=made>x</b>' > ${{ steps.a.output }}",
                   "output: ${{ sandbox }}/outputs/a.txt"),
              step("left", "sleep 0.2", "needs: [a]"), step("right", "true", "needs: [a]"),
              step("bad", "[ $BATON_ATTEMPT = 2 ]", "needs: [left, right]\nretries: 1")});
  }
  void run() {
    const Outcome ran = place.baton({"run", "w", "--set", "limits.retry_delay=1ms", "--task",
                                     "</pre><img src=x onerror=\"document.title='pwned'\">"});
    ASSERT_EQ(ran.code, 0) << ran;
  }
  /// How bright the page is where the reader's system is light (1) or dark (0).
  int brightness(int scheme) {
    const std::string file = place.file("page" + std::to_string(scheme) + ".png");
    const Outcome taken =
        browse({"--blink-settings=preferredColorScheme=" + std::to_string(scheme), "--window-size=600,400",
                "--screenshot=" + file, "file://" + place.file("page.html")});
    EXPECT_EQ(taken.code, 0) << taken;
    const Outcome read = run_program({"python3", "-c", brightness_of, file});
    EXPECT_EQ(read.code, 0) << read;
    return read.code == 0 ? std::stoi(read.out) : -1;
  }
};
using ReportOfChain = WithBrowserIn<WithChain>;

TEST_F(ReportPage, IsWrittenIntoTheRunsFolderOrWhereItIsWanted) {
  run();
  const Outcome made = place.baton({"report", "last"});
  ASSERT_EQ(made.code, 0) << made;
  const std::string path = lines_of(made.out).at(0);
  EXPECT_TRUE(path.starts_with(".baton/runs/") && path.ends_with("/report.html")) << path;
  EXPECT_TRUE(place.read(path).starts_with("<!doctype html>"));
  EXPECT_EQ(place.baton({"report", "last", "-o", "page.html"}).code, 0);
  EXPECT_TRUE(place.exists("page.html"));
  EXPECT_TRUE(place.baton({"report", "last", "-o", "-"}).out.starts_with("<!doctype html>"));
  EXPECT_TRUE(says_error(place.baton({"report", "nobody"}), "unknown-run"));
}

TEST_F(ReportPage, APlaceThatIsNoneIsRefusedBeforeAnythingIsWritten) {
  run();
  place.write("page.html", "mine");
  for (const std::string where : {"", ".", "page.html/x.html", "missing/page.html", "page.html/"}) {
    const Outcome refused = place.baton({"report", "last", "-o", where});
    EXPECT_EQ(refused.code, 2) << "'" << where << "' " << refused;
    EXPECT_TRUE(says_error(refused, "report-not-written")) << "'" << where << "' " << refused;
  }
  EXPECT_EQ(place.read("page.html"), "mine");
  EXPECT_FALSE(place.exists("missing"));
}

TEST_F(ReportPage, ALinkStaysALinkAndItsFileIsReplaced) {
  run();
  std::filesystem::create_directory(place.file("pages"));
  for (const char* name : {"old.html", "new.html"}) {
    std::filesystem::create_symlink(std::string{"pages/"} + name, place.file(name));
  }
  place.write("pages/old.html", "before");
  for (const char* name : {"old.html", "new.html"}) {
    const Outcome made = place.baton({"report", "last", "-o", name});
    EXPECT_EQ(made.code, 0) << made;
    EXPECT_TRUE(std::filesystem::is_symlink(place.file(name)));
    EXPECT_TRUE(place.read(std::string{"pages/"} + name).starts_with("<!doctype html>")) << name;
  }
}

TEST_F(ReportPage, WhatIsNoFileIsWrittenToAndStays) {
  run();
  ASSERT_EQ(::mkfifo(place.file("pipe").c_str(), 0600), 0);
  Process reader{{.argv = {"cat", "pipe"},
                  .cwd = place.root(),
                  .env = place.env,
                  .out_path = place.file("read"),
                  .err_path = place.file("read.err")}};
  const Outcome made = place.baton({"report", "last", "-o", "pipe"});
  EXPECT_EQ(made.code, 0) << made;
  EXPECT_EQ(reader.wait().code, 0);
  EXPECT_TRUE(place.read("read").ends_with("</html>\n"));
  EXPECT_TRUE(std::filesystem::is_fifo(place.file("pipe")));
  EXPECT_EQ(place.baton({"report", "last", "-o", "/dev/null"}).code, 0);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  const Outcome printed = place.baton({"report", "last", "-o", "/dev/stdout"});
  EXPECT_EQ(printed.code, 0) << printed;
  EXPECT_TRUE(printed.out.starts_with("<!doctype html>") && printed.out.ends_with("</html>\n"))
      << "the page and nothing else";
  EXPECT_EQ(place.baton({"report", "last", "-o", "/dev/full"}).code, 1)
      << "what was not written is not told as written";
}

TEST_F(ReportPage, OpensInARealBrowserAsTextAndDrawings) {
  if (has_none()) GTEST_SKIP() << "no chromium here, and no package of that name";
  ASSERT_NE(browser(), "") << "./dev setup installs chromium";
  run();
  ASSERT_EQ(place.baton({"report", "last", "-o", "page.html"}).code, 0);
  const Outcome dom = browse({"--dump-dom", "file://" + place.file("page.html")});
  ASSERT_EQ(dom.code, 0) << dom;
  EXPECT_FALSE(has(dom.out, "<title>pwned")) << "nothing of what agents wrote was run";
  EXPECT_FALSE(has(dom.out, "<b id=\"made\"") || has(dom.out, "<script") || has(dom.out, "<img"))
      << dom.out.substr(0, 2000);
  EXPECT_TRUE(has(dom.out, "&lt;script&gt;document.title")) << "it is there to be read";
  for (const char* part : {"id=\"summary\"", "id=\"graph\"", "id=\"timeline\"", "id=\"cost\"", "id=\"checks\"",
                           "id=\"steps\"", "id=\"diff\"", "<svg", "</footer>"}) {
    EXPECT_TRUE(has(dom.out, part)) << part;
  }
  EXPECT_GT(brightness(1), 200) << "light where the reader's system is";
  EXPECT_LT(brightness(0), 60) << "dark where it is dark";
  const Outcome printed = browse({"--print-to-pdf=" + place.file("page.pdf"), "file://" + place.file("page.html")});
  EXPECT_EQ(printed.code, 0) << printed;
  EXPECT_TRUE(place.read("page.pdf").starts_with("%PDF"));
}

TEST_F(ReportOfChain, HasPromptsOutputsChecksAndTheDiff) {
  if (has_none()) GTEST_SKIP() << "no chromium here, and no package of that name";
  ASSERT_NE(browser(), "") << "./dev setup installs chromium";
  writes("build", "login.txt", "a page <b>to log in</b>");
  ASSERT_EQ(run("plan-build", {"--model", "opus"}).code, 3);
  ASSERT_EQ(place.baton({"report", "last", "-o", "page.html"}).code, 0);
  const Outcome dom = browse({"--dump-dom", "file://" + place.file("page.html")});
  ASSERT_EQ(dom.code, 0) << dom;
  EXPECT_TRUE(has(dom.out, "<span class=\"add\">+a page &lt;b&gt;to log in&lt;/b&gt;</span>")) << "the diff";
  EXPECT_TRUE(has(dom.out, "Add a login page")) << "the task, and prompts";
  EXPECT_TRUE(has(dom.out, "<h4>Prompt</h4>") && has(dom.out, "<h4>Output</h4>"));
  EXPECT_TRUE(has(dom.out, "It is well made.")) << "what the review answered";
  EXPECT_TRUE(has(dom.out, "<td class=\"mono\">claude claude-opus-5-5</td>")) << "cost by the model that answered";
}

}  // namespace
}  // namespace baton::test

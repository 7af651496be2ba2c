"""An agent's stream through our reader, beside a bare simdjson on-demand loop that takes each line's type, and Node."""
import shutil
import subprocess

from peers import Missing
from place import BENCH, words_of


def measure(place):
    size = place.size(200, 20)
    file = str(place.folder("stream") / "stream.ndjson")
    subprocess.run([place.tool(place.build, "stream"), "make", file, str(size)], check=True)

    def reader(how, build=place.build):
        tool = place.tool(build, "stream")
        return lambda: of(words_of([tool, how, file]))

    def node():
        if not shutil.which("node"):
            raise Missing("no node")
        return lambda: of(words_of(["node", BENCH / "peers" / "parse_lines.js", file]))

    place.turns(f"{size} MB", place.contenders(
        *place.each_build(lambda build: reader("ours", build)), ("simdjson", lambda: reader("bare")), ("node", node)))


def of(words):
    return {"MB/s": float(words[1])} | ({"MB": float(words[2])} if len(words) > 2 else {})

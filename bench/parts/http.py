"""20,000 calls to a model's API, 2,000 in flight, each answered after a second: ten seconds are ideal.

`baton's courier`: holder and courier, asked as the engine asks them; each start and end is recorded and the answers are on
disk. `baton`: the whole program over a workflow of as many agent steps, each with its prompt, its request and its output on
disk; with fewer of them for its memory, which is to be that of the calls and not of a large plan. The others keep nothing."""
import contextlib
import os
import sqlite3
import subprocess
import time

from parts import holder_link, late_server, workflows
from peers import npm
from place import memory_kb


def measure(place):
    in_flight = place.size(2_000, 100)
    count = in_flight * place.size(10, 4)
    server, url = late_server.start()
    place.cleanup.append(server.kill)
    address = url + "/v1/messages"

    def courier(build):
        return lambda: holder_link.Calls(build.bin, place.folder("courier"), address, count, in_flight).run()

    def curl():
        return place.seconds_and_peak([place.tool(place.build, "curl_multi"), address, count, in_flight], place.top)

    def node(how):
        path = npm.script("http", "undici@6")
        return place.seconds_and_peak(["node", path, how, address, count, in_flight], place.top)

    case = f"{in_flight:,} in flight"
    place.turns(case, place.contenders(
        *place.each_build(courier, "'s courier"), ("curl", curl), ("undici", lambda: node("undici")), ("fetch", lambda: node("fetch"))))
    for steps in (in_flight * 2, count):
        place.turns(f"{case}, {steps:,} steps",
                    place.contenders(*place.each_build(lambda build, steps=steps: whole(place, build, url, steps, in_flight))))
    server.kill()
    server.wait()


def whole(place, build, url, steps, in_flight):
    def run():
        folder = place.folder("api")
        workflows.agents(folder, "calls", steps)
        env = {**os.environ, "ANTHROPIC_API_KEY": "sk-ant-bench-0123456789", "ANTHROPIC_BASE_URL": url}
        argv = [build.bin / "baton", "run", "calls", "--runtime", "anthropic", "--jobs", in_flight, "-q", "--task", "bench"]
        begun = time.monotonic()
        child = subprocess.Popen([str(word) for word in argv], cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        peak, pids = 0, []
        while child.poll() is None:
            holder = holder_link.holder_of(folder / ".baton")
            if not pids and holder and holder_link.children(holder):
                pids = [child.pid, holder, *holder_link.children(holder)]
            peak = max(peak, sum(memory_kb(pid, "VmRSS") for pid in pids))
            time.sleep(0.05)
        if child.returncode != 0:
            raise RuntimeError(f"the run ended with {child.returncode}: {child.stderr.read()[-200:].decode(errors='replace')}")
        share = {"of ideal": share_of_ideal(folder / ".baton" / "baton.db", in_flight)} if steps > 2 * in_flight else {}
        return {"s": time.monotonic() - begun, "MB": peak / 1024, **share}
    return run


def share_of_ideal(journal, in_flight):
    """Once all are in flight and as long as they are, as the journal has it."""
    with contextlib.closing(sqlite3.connect(journal)) as database:
        ends = [row[0] for row in database.execute("SELECT at FROM events WHERE kind='attempt.ended' ORDER BY at")]
    since, until = ends[in_flight - 1], ends[len(ends) - in_flight - 1]
    return (len(ends) - 2 * in_flight) / max(until - since, 1) * 1000 / in_flight

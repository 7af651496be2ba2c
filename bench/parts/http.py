"""20,000 calls to a model's API, 2,000 in flight, each answered after a second: ten seconds are ideal.

`baton's courier`: holder and courier, asked as the engine asks them; each start and end is recorded and the answers are on
disk. `baton`: the whole program over a workflow of as many agent steps. The others keep nothing."""
import os
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
    steps = in_flight * 2
    place.turns(f"{case}, {steps:,} steps", place.contenders(*place.each_build(lambda build: whole(place, build, url, steps, in_flight))))
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
        return {"s": time.monotonic() - begun, "MB": peak / 1024}
    return run

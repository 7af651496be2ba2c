#!/usr/bin/env python3
"""How many HTTP calls a second the courier makes with 2,000 in flight against a server that answers after a second, beside a
bare libcurl-multi client and Node.

    bench/http_calls.py [--bin build/bin] [--tools build/bench] [--calls 20000] [--in-flight 2000] [--only courier,curl,node]

Of the courier, what is measured is all of it: the holder is asked, records each start and each end, and the answers are on
disk. `rate` is the share of the ideal rate, which is the calls in flight a second, over the whole run; the courier's steady
rate is that between the first and the last 2,000 ends, without its programs' start and the beginning of all connections.
"""
import argparse
import asyncio
import json
import os
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

ANSWER = json.dumps({"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn",
                     "content": [{"type": "text", "text": "hello " * 20}],
                     "usage": {"input_tokens": 10, "output_tokens": 20}}).encode()


class LateServer(asyncio.Protocol):
    """Answers every request a second later, and does nothing else."""
    response = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(ANSWER) + ANSWER

    def connection_made(self, transport):
        self.transport, self.data = transport, b""

    def data_received(self, data):
        self.data += data
        end = self.data.find(b"\r\n\r\n")
        if end < 0:
            return
        head = self.data[:end].lower()
        at = head.find(b"content-length:")
        size = int(head[at + 15:].split(b"\r\n", 1)[0]) if at >= 0 else 0
        if len(self.data) < end + 4 + size:
            return
        self.data = self.data[end + 4 + size:]
        asyncio.get_running_loop().call_later(1, self.transport.write, self.response)


async def serve():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(LateServer, "127.0.0.1", 0, backlog=8192)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def status_kb(pid, field):
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8") as status:
            for line in status:
                if line.startswith(field + ":"):
                    return int(line.split()[1])
    except OSError:
        pass
    return 0


def cpu_seconds(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return 0.0


def frame(*parts):
    body = b"".join(struct.pack("<I", len(p)) + p for p in (str(part).encode() for part in parts))
    return struct.pack("<I", len(body)) + body


def frames_in(data):
    """Whole frames at the beginning of `data`, and what is left of it."""
    found, at = [], 0
    while len(data) - at >= 4:
        size = struct.unpack_from("<I", data, at)[0]
        if len(data) - at < 4 + size:
            break
        parts, inner = [], at + 4
        while inner < at + 4 + size:
            length = struct.unpack_from("<I", data, inner)[0]
            parts.append(data[inner + 4:inner + 4 + length])
            inner += 4 + length
        found.append(parts)
        at += 4 + size
    return found, data[at:]


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as listed:
        return [int(child) for child in listed.read().split()]


def courier(bin_folder, url, calls, in_flight, beneath=None):
    root = tempfile.mkdtemp(prefix="baton-http-", dir=beneath)
    state = os.path.join(root, ".baton")
    os.mkdir(state, 0o700)
    subprocess.run([os.path.join(bin_folder, "baton-holder"), state], check=True)
    request = {"version": 1, "method": "POST", "url": url, "headers": [["content-type", "application/json"]],
               "auth": {"header": "x-api-key", "prefix": "", "source": {"env": "BENCH_KEY"}},
               "body": '{"model":"m","max_tokens":10,"messages":[{"role":"user","content":"hi"}]}'}
    path = os.path.join(root, "request.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(request, file)
    link = socket.socket(socket.AF_UNIX)
    link.connect(os.path.join(state, "holder.sock"))
    link.sendall(frame("attach", "r", os.path.join(root, "held.log"), root, 0, 1, "BENCH_KEY=sk-bench-0123456789"))
    begun = time.monotonic()
    orders = b"".join(frame("call", "r", "s", n + 1, path, f"{root}/{n}.out", f"{root}/{n}.err", 0, 5000, in_flight)
                      for n in range(calls))
    ended, good, data, peak, pids, steady = 0, 0, b"", 0, [], {}
    link.setblocking(False)
    while ended < calls:
        try:
            if orders:
                orders = orders[link.send(orders[:1 << 16]):]
        except BlockingIOError:
            pass
        try:
            data += link.recv(1 << 20)
        except BlockingIOError:
            time.sleep(0.002)
        found, data = frames_in(data)
        for parts in found:
            if parts[0] == b"exited":
                ended += 1
                good += parts[6] == b"0"
                orders += frame("ack", "r", "s", parts[4].decode())  # behind what is not sent yet, never inside of it
        for mark in (in_flight, calls - in_flight):
            if ended >= mark and mark not in steady:
                steady[mark] = (ended, time.monotonic())
        if not pids:
            with open(os.path.join(state, "holder.lock"), encoding="utf-8") as lock:
                holder = int(lock.read() or 0)
            if holder and children(holder):
                pids = [holder, children(holder)[0]]
        elif ended < calls:
            peak = max(peak, sum(status_kb(pid, "VmRSS") for pid in pids) if ended % 50 == 0 else 0)
    took = time.monotonic() - begun
    used = sum(cpu_seconds(pid) for pid in pids)
    link.close()
    os.kill(pids[0], signal.SIGKILL)
    if beneath is None:
        shutil.rmtree(root)
    (first, since), (last, until) = steady[in_flight], steady[calls - in_flight]
    courier.steady = (last - first) / max(until - since, 1e-9) / in_flight
    return took, used, peak / 1024, good


def program(argv):
    begun = time.monotonic()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
    peak = 0
    while run.poll() is None:
        peak = max(peak, status_kb(run.pid, "VmHWM"))
        time.sleep(0.05)
    took = time.monotonic() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return took, used, peak / 1024, int(run.stdout.read().split()[-1])


def clients(bin_folder, tool_folder, url, calls, in_flight, beneath=None):
    """By name, what makes the calls; those that can be had here."""
    words = (url, str(calls), str(in_flight))
    found = {"courier": lambda: courier(bin_folder, url, calls, in_flight, beneath)}
    bare = os.path.join(tool_folder, "bench_curl_multi")
    if os.path.exists(bare):
        found["curl"] = lambda: program([bare, *words])
    if shutil.which("node"):
        node = os.path.join(os.path.dirname(os.path.abspath(__file__)), "http_node.js")
        found["node"] = lambda: program(["node", node, *words])
    return found


def start_server():
    """The server, a process of its own, and the address it answers at."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    server = subprocess.Popen([sys.executable, os.path.abspath(__file__), "--serve"], stdout=subprocess.PIPE, text=True)
    return server, f"http://127.0.0.1:{server.stdout.readline().strip()}/v1/messages"


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--bin", default="build/bin")
    options.add_argument("--tools", default="build/bench")
    options.add_argument("--calls", type=int, default=20000)
    options.add_argument("--in-flight", type=int, default=2000)
    options.add_argument("--only", default="courier,curl,node")
    options.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = options.parse_args()
    if options.serve:
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        return asyncio.run(serve())
    server, url = start_server()
    there = clients(options.bin, options.tools, url, options.calls, options.in_flight)
    ideal = -(-options.calls // options.in_flight)
    print(f"{options.calls} calls, {options.in_flight} in flight, each answered after 1 s: ideal {ideal} s")
    print(f"{'client':10}{'seconds':>9}{'calls/s':>9}{'rate':>7}{'cpu s':>8}{'MB':>7}{'good':>8}")
    for name in options.only.split(","):
        if name not in there:
            print(f"{name:10} is not there")
            continue
        took, used, megabytes, good = there[name]()
        print(f"{name:10}{took:9.2f}{options.calls / took:9.0f}{ideal / took:7.0%}{used:8.2f}{megabytes:7.0f}{good:8}",
              flush=True)
        if name == "courier":
            print(f"{'':10} steady: {courier.steady:.0%} of the ideal rate")
    server.kill()


if __name__ == "__main__":
    sys.exit(main())

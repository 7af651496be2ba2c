"""What the engine says to the holder, spoken by hand: calls without an engine."""
import json
import os
import signal
import socket
import struct
import subprocess
import time

from place import memory_kb


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


def holder_of(state):
    """The pid of the holder of a state folder; 0 if there is none (yet)."""
    try:
        with open(os.path.join(state, "holder.lock"), encoding="utf-8") as lock:
            return int(lock.read() or 0)
    except (OSError, ValueError):
        return 0


class Calls:
    """COUNT calls to URL through holder and courier, IN_FLIGHT at once."""

    def __init__(self, bin_folder, root, url, count, in_flight):
        self.root, self.count, self.in_flight = str(root), count, in_flight
        self.state = os.path.join(self.root, ".baton")
        os.mkdir(self.state, 0o700)
        subprocess.run([str(bin_folder / "baton-holder"), self.state], check=True)
        self.link = socket.socket(socket.AF_UNIX)
        self.link.connect(os.path.join(self.state, "holder.sock"))
        self.orders = frame("attach", "r", os.path.join(self.root, "held.log"), self.root, 0, 1, "BENCH_KEY=sk-bench-0123456789")
        self.orders += self.asked_for(url)
        self.left = b""
        self.ended = self.good = self.peak_kb = 0
        self.pids = []
        self.marks = {}  # when the first and the last IN_FLIGHT had ended

    def asked_for(self, url):
        request = {"version": 1, "method": "POST", "url": url, "headers": [["content-type", "application/json"]],
                   "auth": {"header": "x-api-key", "prefix": "", "source": {"env": "BENCH_KEY"}},
                   "body": '{"model":"m","max_tokens":10,"messages":[{"role":"user","content":"hi"}]}'}
        path = os.path.join(self.root, "request.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(request, file)
        return b"".join(frame("call", "r", "s", n + 1, path, f"{self.root}/{n}.out", f"{self.root}/{n}.err", 0, 5000, self.in_flight)
                        for n in range(self.count))

    def run(self):
        """Seconds, the share of the ideal rate once all are in flight, and the peak memory of holder and courier in MB."""
        begun = time.monotonic()
        self.link.setblocking(False)
        try:
            while self.ended < self.count:
                self.send()
                self.hear()
                self.look_at_memory()
            took = time.monotonic() - begun
        finally:
            self.link.close()
            os.kill(holder_of(self.state), signal.SIGKILL)
        if self.good < self.count:
            raise RuntimeError(f"only {self.good} of {self.count} calls went well")
        (first, since), (last, until) = self.marks[self.in_flight], self.marks[self.count - self.in_flight]
        return {"s": took, "of ideal": (last - first) / max(until - since, 1e-9) / self.in_flight, "MB": self.peak_kb / 1024}

    def send(self):
        try:
            if self.orders:
                self.orders = self.orders[self.link.send(self.orders[:1 << 16]):]
        except BlockingIOError:
            pass

    def hear(self):
        try:
            self.left += self.link.recv(1 << 20)
        except BlockingIOError:
            time.sleep(0.002)
        found, self.left = frames_in(self.left)
        for parts in found:
            if parts[0] == b"exited":
                self.ended += 1
                self.good += parts[6] == b"0"
                self.orders += frame("ack", "r", "s", parts[4].decode())  # behind what is not sent yet, never inside of it
        for mark in (self.in_flight, self.count - self.in_flight):
            if self.ended >= mark and mark not in self.marks:
                self.marks[mark] = (self.ended, time.monotonic())

    def look_at_memory(self):
        if not self.pids:
            holder = holder_of(self.state)
            if holder and children(holder):
                self.pids = [holder, children(holder)[0]]
        elif self.ended % 50 == 0:
            self.peak_kb = max(self.peak_kb, sum(memory_kb(pid, "VmRSS") for pid in self.pids))

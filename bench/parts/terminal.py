"""The dashboard with 10,000 runs: how soon it is there, how soon an event is on its screen, what it costs to leave it open."""
import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time

TICKS = os.sysconf("SC_CLK_TCK")


class Top:
    """`baton top` on a terminal of its own, of 120 columns and 40 rows."""

    def __init__(self, baton, state, cwd):
        self.begun = time.monotonic()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
            os.execve(baton, [baton, "top", "--state-dir", state], {**os.environ, "TERM": "xterm-256color"})
        self.seen = b""

    def read_until(self, text, limit=10):
        """The time at which the text came."""
        end = time.monotonic() + limit
        while text not in self.seen:
            if not select.select([self.fd], [], [], max(end - time.monotonic(), 0))[0]:
                raise RuntimeError(f"{text} is not on the screen after {limit} s")
            self.seen += os.read(self.fd, 1 << 16)
        return time.monotonic()

    def drain(self, seconds):
        """Lets time pass, and reads what is drawn, as a terminal would."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([self.fd], [], [], left)[0]:
                os.read(self.fd, 1 << 16)
        self.seen = b""

    def cpu(self):
        with open(f"/proc/{self.pid}/stat") as f:
            fields = f.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def share_over(self, seconds, meanwhile=None):
        """The share of a core that it takes, in per cent."""
        before = self.cpu()
        begun = time.monotonic()
        (meanwhile or self.drain)(seconds)
        return (self.cpu() - before) * 100 / (time.monotonic() - begun)

    def quit(self):
        os.write(self.fd, b"q")
        try:
            while os.read(self.fd, 1 << 16):
                pass
        except OSError:
            pass
        os.waitpid(self.pid, 0)
        os.close(self.fd)


class Writer:
    """Another process that writes to the journal: bench/events.cc."""

    def __init__(self, tool, state):
        self.process = subprocess.Popen([tool, state], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def do(self, line):
        """The time at which it was on disk."""
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline()) / 1e9

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def start(baton, state, cwd, last):
    """Seconds from the start of the program to its whole first screen, with the newest run on it."""
    top = Top(baton, state, cwd)
    try:
        return max(top.read_until(last), top.read_until(b"filter")) - top.begun
    finally:
        top.quit()


def delays(baton, tool, state, cwd, count):
    """Seconds from the moment at which a new run is about to be recorded to its being on the screen, each."""
    writer, top, found = Writer(tool, state), Top(baton, state, cwd), []
    try:
        top.drain(1.5)
        for n in range(count):
            # No letter stands where the last one's did: so all of it is drawn.
            name = "".join(chr(ord("a") + (n * 9 + i) % 26) for i in range(8))
            written = writer.do("run " + name)
            found.append(top.read_until(name.encode()) - written)
            top.drain(0.3 + 0.037 * (n % 7))
    finally:
        top.quit()
        writer.end()
    return found


def costs(baton, tool, state, cwd, seconds):
    """Per cent of a core: with nothing going on, with a silent run at work, and at 100 events a second."""
    top = Top(baton, state, cwd)
    writer = None
    try:
        top.drain(2)
        idle = top.share_over(seconds)
        writer = Writer(tool, state)
        writer.do("begin")
        top.drain(1)
        os.write(top.fd, b"g")
        top.drain(1)
        silent = top.share_over(seconds)

        def pour(how_long):
            begun = time.monotonic()
            for n in range(int(how_long * 100)):
                writer.do("use")
                top.drain(max(begun + (n + 1) / 100 - time.monotonic(), 0))

        return idle, silent, top.share_over(seconds, pour)
    finally:
        top.quit()
        if writer:
            writer.end()

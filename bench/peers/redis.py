"""A Redis of one's own that has every write on disk before it answers (appendfsync always)."""
import os
import subprocess
import time

from peers import Missing, debian


def start(folder):
    """The path of its socket, and what stops it."""
    path, env = debian.program("redis-server")
    socket = folder / "redis.sock"
    server = subprocess.Popen([path, "--port", "0", "--unixsocket", str(socket), "--dir", str(folder), "--appendonly", "yes",
                               "--appendfsync", "always", "--save", "", "--maxmemory-policy", "noeviction"],
                              env={**os.environ, **(env or {})}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 10
    while not socket.exists():
        if server.poll() is not None or time.monotonic() > deadline:
            server.kill()
            server.wait()
            raise Missing("Redis does not start")
        time.sleep(0.02)

    def stop():
        server.kill()
        server.wait()

    return str(socket), stop

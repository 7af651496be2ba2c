"""Restate: its server from npm, and a service beside it whose steps are each in the server's log before the next begins."""
import socket
import subprocess
import time
import urllib.error
import urllib.request

from peers import Missing, npm
from place import words_of

PACKAGES = ("@restatedev/restate-server@1", "@restatedev/restate-sdk@1")


def durable(place, runs, steps):
    path = npm.script("restate", *PACKAGES)
    if not hasattr(place, "restate_port"):
        place.restate_port = start(place, path)
        words_of(["node", path, "call", 1, 1, place.restate_port])  # its first call waits for all of it to be up
    ingress = place.restate_port
    return lambda: {"steps/s": float(words_of(["node", path, "call", runs, steps, ingress])[-1])}


def free_ports(count):
    taken = [socket.socket() for _ in range(count)]
    for one in taken:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in taken]
    for one in taken:
        one.close()
    return ports


def start(place, path):
    folder = place.folder("restate")
    ingress, admin, node, service = free_ports(4)
    (folder / "restate.toml").write_text(
        f'bind-address = "127.0.0.1:{node}"\nadvertised-address = "http://127.0.0.1:{node}"\nnode-name = "bench"\n'
        f'[ingress]\nbind-address = "127.0.0.1:{ingress}"\n[admin]\nbind-address = "127.0.0.1:{admin}"\n')
    # The program itself: npm's way to it is a process in between, which would leave it behind.
    found = sorted((npm.installed("restate", *PACKAGES) / "node_modules" / "@restatedev").glob("restate-server-*/bin/restate-server"))
    if not found:
        raise Missing("npm has no server for this machine")
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    there = [subprocess.Popen([str(found[0]), "--config-file", "restate.toml", "--base-dir", str(folder)], cwd=folder, **quiet),
             subprocess.Popen(["node", path, "serve", str(service)], **quiet)]
    place.cleanup.append(lambda: [child.kill() or child.wait() for child in there])
    register(f"http://127.0.0.1:{admin}/deployments", f'{{"uri": "http://127.0.0.1:{service}"}}'.encode(), there)
    return ingress


def register(url, body, there):
    deadline = time.monotonic() + 30
    while True:
        try:
            request = urllib.request.Request(url, body, {"content-type": "application/json"})
            urllib.request.urlopen(request, timeout=10).close()
            return
        except (urllib.error.URLError, OSError) as error:
            if time.monotonic() > deadline or there[0].poll() is not None:
                raise Missing("its server does not start") from error
            time.sleep(0.2)

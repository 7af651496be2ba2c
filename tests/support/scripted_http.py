#!/usr/bin/env python3
"""A model's API on loopback that does what a test tells it: Messages and Chat completions, streamed or not, and every way
in which a server can misbehave. `scripted_http.h` is its C++ side; HACKING.md has the words of a script.

It prints one line of JSON when it listens, {"port", "tls_port", "ca"}, then takes commands on its standard input, a line of
JSON each, and answers each with a line. It ends when its standard input does.

    {"script": [RULE...]}   from now on; requests take the rules in order, each as often as its "times" says
    {"go": NAME}            lets all go on that wait for that name, now or later
    {"stats": true}         requests, in_flight, in_flight_max, connections, abandoned
    {"seen": true}          the requests so far
    {"until": {"requests": N, "abandoned": N, "idle": true}}   answers when that is so
"""
import argparse
import asyncio
import gzip
import json
import os
import socket
import ssl
import struct
import subprocess
import sys

BODY_KEPT = 1 << 20


class Abandoned(Exception):
    """The client went away."""


class World:
    def __init__(self):
        self.rules = []
        self.used = {}
        self.gates = {}
        self.seen = []
        self.requests = 0
        self.in_flight = 0
        self.in_flight_max = 0
        self.connections = 0
        self.abandoned = 0
        self.changed = asyncio.Condition()
        self.keep = True

    def gate(self, name):
        return self.gates.setdefault(name, asyncio.Event())

    def stats(self):
        return {key: getattr(self, key) for key in
                ("requests", "in_flight", "in_flight_max", "connections", "abandoned")}

    def rule_for(self, request):
        for number, rule in enumerate(self.rules):
            times = rule.get("times", 1)
            if times and self.used.get(number, 0) >= times:
                continue
            when = rule.get("when", {})
            if "path" in when and when["path"] != request["path"]:
                continue
            if "method" in when and when["method"] != request["method"]:
                continue
            if "contains" in when and when["contains"] not in request["body"]:
                continue
            self.used[number] = self.used.get(number, 0) + 1
            return rule
        return {}


# --- What the APIs say --------------------------------------------------------------------------------------------------

def path_of(request):
    return request["path"].partition("?")[0]


def is_chat(request):
    return path_of(request).endswith("/chat/completions")


def asked(request):
    try:
        return json.loads(request["body"])
    except ValueError:
        return {}


def blocks_of(answer):
    return answer.get("blocks", [{"type": "text", "text": answer.get("text", "hello")}])


def messages_usage(answer):
    return {"input_tokens": 10, "output_tokens": 5, **answer.get("usage", {})}


def message_body(request, answer):
    return {"id": answer.get("id", "msg_1"), "type": "message", "role": "assistant",
            "model": answer.get("model", asked(request).get("model", "m")), "content": blocks_of(answer),
            "stop_reason": answer.get("stop_reason", "end_turn"), "stop_sequence": None,
            **answer.get("more", {}), "usage": messages_usage(answer)}


def pieces(text, size):
    return [text[i:i + size] for i in range(0, len(text), size)] or [""]


def message_events(request, answer):
    usage = messages_usage(answer)
    whole = message_body(request, answer)
    size = answer.get("delta", 4)
    start = {**whole, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    events = [("message_start", {"type": "message_start", "message": start})]
    for index, block in enumerate(blocks_of(answer)):
        kind = block["type"]
        empty, deltas = dict(block), []
        if kind == "text":
            empty["text"] = ""
            deltas = [{"type": "text_delta", "text": part} for part in pieces(block["text"], size)]
        elif kind == "thinking":
            empty.update(thinking="", signature="")
            deltas = [{"type": "thinking_delta", "thinking": part} for part in pieces(block["thinking"], size)]
            deltas.append({"type": "signature_delta", "signature": block.get("signature", "sig")})
        elif kind == "tool_use":
            empty["input"] = {}
            deltas = [{"type": "input_json_delta", "partial_json": part}
                      for part in pieces(json.dumps(block["input"]), size)]
        events.append(("content_block_start", {"type": "content_block_start", "index": index, "content_block": empty}))
        if index == 0:
            events.append(("ping", {"type": "ping"}))
        events += [("content_block_delta", {"type": "content_block_delta", "index": index, "delta": d}) for d in deltas]
        events.append(("content_block_stop", {"type": "content_block_stop", "index": index}))
    delta = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    if "stop_details" in whole:
        delta["stop_details"] = whole["stop_details"]
    events.append(("message_delta", {"type": "message_delta", "delta": delta,
                                     "usage": {"output_tokens": usage["output_tokens"]}}))
    events.append(("message_stop", {"type": "message_stop"}))
    return events


def chat_usage(answer):
    usage = {"prompt_tokens": 10, "completion_tokens": 5, **answer.get("usage", {})}
    usage.setdefault("total_tokens", usage["prompt_tokens"] + usage["completion_tokens"])
    return usage


def chat_head(request, answer, kind):
    return {"id": answer.get("id", "chatcmpl-1"), "object": kind, "created": 1, "model":
            answer.get("model", asked(request).get("model", "m"))}


def chat_body(request, answer):
    message = {"role": "assistant", "content": answer.get("text", "hello"), **answer.get("more", {})}
    return {**chat_head(request, answer, "chat.completion"),
            "choices": [{"index": 0, "message": message, "finish_reason": answer.get("stop_reason", "stop")}],
            "usage": chat_usage(answer)}


def chat_events(request, answer):
    head = chat_head(request, answer, "chat.completion.chunk")

    def chunk(delta, finish=None):
        return (None, {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    events = [chunk({"role": "assistant", "content": ""})]
    events += [chunk({"content": part}) for part in pieces(answer.get("text", "hello"), answer.get("delta", 4))]
    if answer.get("more"):
        events.append(chunk(answer["more"]))
    events.append(chunk({}, answer.get("stop_reason", "stop")))
    events.append((None, {**head, "choices": [], "usage": chat_usage(answer)}))
    events.append((None, "[DONE]"))
    return events


def error_body(request, error):
    if is_chat(request):
        return {"error": {"message": error.get("message", "no"), "type": error.get("type", "server_error"),
                          "code": error.get("code"), "param": None}}
    return {"type": "error", "error": {"type": error.get("type", "api_error"), "message": error.get("message", "no")},
            "request_id": error.get("request_id", "req_1")}


def sse(events):
    text = ""
    for name, data in events:
        data = data if isinstance(data, str) else json.dumps(data)
        text += (f"event: {name}\n" if name else "") + f"data: {data}\n\n"
    return text.encode()


def body_of(rule, request):
    """The body's bytes, its type, and whether it is a stream."""
    if "body" in rule:
        return rule["body"].encode(), "text/plain", False
    if "size" in rule:
        return b"x" * rule["size"], "text/plain", False
    if "json" in rule:
        return json.dumps(rule["json"]).encode(), "application/json", False
    if rule.get("echo"):
        return json.dumps({"headers": request["headers"], "body": request["body"]}).encode(), "application/json", False
    if "events" in rule:
        return sse([tuple(e) if isinstance(e, list) else (None, e) for e in rule["events"]]), "text/event-stream", True
    if "error" in rule and "after" not in rule["error"]:
        return json.dumps(error_body(request, rule["error"])).encode(), "application/json", False
    answer = rule.get("answer", {})
    if not asked(request).get("stream"):
        whole = chat_body(request, answer) if is_chat(request) else message_body(request, answer)
        return json.dumps(whole).encode(), "application/json", False
    events = chat_events(request, answer) if is_chat(request) else message_events(request, answer)
    if "error" in rule:
        failed = error_body(request, rule["error"])
        events = events[:rule["error"]["after"]] + [(None if is_chat(request) else "error", failed)]
    return sse(events[:rule.get("events_max", len(events))]), "text/event-stream", True


# --- One request --------------------------------------------------------------------------------------------------------

class Exchange:
    def __init__(self, world, reader, writer):
        self.world, self.reader, self.writer = world, reader, writer
        self.closes = False
        self.sent = b""

    async def read(self):
        try:
            head = await self.reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            return None
        lines = head.decode("latin-1").split("\r\n")
        method, path, _ = lines[0].split(" ", 2)
        headers = [tuple(part.strip() for part in line.split(":", 1)) for line in lines[1:] if line]
        named = {name.lower(): value for name, value in headers}
        if named.get("transfer-encoding", "").lower() == "chunked":
            body = b""
            while size := int(await self.reader.readline(), 16):
                body += await self.reader.readexactly(size)
                await self.reader.readline()
            await self.reader.readline()
        else:
            body = await self.reader.readexactly(int(named.get("content-length", 0)))
        self.closes = named.get("connection", "").lower() == "close"
        return {"method": method, "path": path, "headers": [[n.lower(), v] for n, v in headers],
                "bytes": len(body), "body": body[:BODY_KEPT].decode("utf-8", "replace")}

    async def send(self, data):
        if self.writer.transport.is_closing():
            raise Abandoned
        self.writer.write(data)
        self.sent += data
        try:
            await self.writer.drain()
        except ConnectionError:
            raise Abandoned from None

    async def or_gone(self, waiting):
        """Waits, unless the client goes away first."""
        task = asyncio.ensure_future(waiting)
        gone = asyncio.ensure_future(self.reader.read(1))
        done, _ = await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if task in done:
            gone.cancel()
            await asyncio.gather(gone, return_exceptions=True)
            return
        task.cancel()
        gone.exception()  # however it went away
        raise Abandoned

    async def pause(self, milliseconds):
        if milliseconds:
            await self.or_gone(asyncio.sleep(milliseconds / 1000))

    async def wait_for(self, name):
        if name:
            await self.or_gone(self.world.gate(name).wait())

    async def end(self, how):
        if how == "silence":
            await self.or_gone(asyncio.Event().wait())
        sock = self.writer.get_extra_info("socket")
        if how == "reset" and sock is not None:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.writer.transport.abort()
        self.closes = True

    async def play(self, steps):
        """A response written out by the test itself."""
        for step in steps:
            if "send" in step:
                await self.send(step["send"].encode("latin-1"))
            await self.pause(step.get("sleep"))
            await self.wait_for(step.get("wait"))
            if "end" in step:
                return await self.end(step["end"])

    async def answer(self, request, rule):
        self.sent = b""
        await self.pause(rule.get("delay"))
        await self.wait_for(rule.get("wait"))
        if "play" in rule:
            self.closes = True
            return await self.play(rule["play"])
        for status in rule.get("interim", []):
            await self.send(f"HTTP/1.1 {status} Interim\r\nx-interim: yes\r\n\r\n".encode())
        if rule.get("end") and "cut" not in rule:
            return await self.end(rule["end"])
        body, kind, streams = body_of(rule, request)
        status = rule.get("status", 302 if "redirect" in rule else 200)
        headers = {"content-type": kind, "request-id": "req_%d" % self.world.requests, **rule.get("headers", {})}
        if "redirect" in rule:
            headers["location"] = rule["redirect"]
        if "huge_header" in rule:
            headers["x-huge"] = "h" * rule["huge_header"]
        if rule.get("gzip"):
            body, headers["content-encoding"] = gzip.compress(body), "gzip"
        chunked = rule.get("chunked", streams)
        if rule.get("until_close"):
            headers["connection"], self.closes, chunked = "close", True, False
        elif chunked:
            headers["transfer-encoding"] = "chunked"
        elif status not in (204, 304):
            headers["content-length"] = str(rule.get("length", len(body)))
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        await self.send(f"HTTP/1.1 {status} Status\r\n{head}\r\n".encode("latin-1"))
        if request["method"] != "HEAD":
            await self.body(rule, body, chunked)
        if rule.get("surplus"):
            await self.send(self.sent)

    async def body(self, rule, body, chunked):
        whole = body[:rule["cut"]] if "cut" in rule else body
        size = rule.get("split") or len(whole) or 1
        middle = len(whole) // 2
        for at in range(0, len(whole), size):
            part = whole[at:at + size]
            await self.send(b"%x\r\n%s\r\n" % (len(part), part) if chunked else part)
            if at <= middle < at + size:
                await self.wait_for(rule.get("middle"))
            if at + size < len(whole):
                await self.pause(rule.get("pause"))
        if "cut" in rule:
            return await self.end(rule.get("end", "close"))
        if rule.get("length", len(body)) != len(body):
            self.closes = True
        if chunked:
            await self.send(b"0\r\n\r\n")


async def changed(world):
    async with world.changed:
        world.changed.notify_all()


async def serve(world, reader, writer):
    world.connections += 1
    exchange = Exchange(world, reader, writer)
    try:
        while not exchange.closes and (request := await exchange.read()):
            world.requests += 1
            world.in_flight += 1
            world.in_flight_max = max(world.in_flight_max, world.in_flight)
            request.update(connection=world.connections, in_flight=world.in_flight)
            if world.keep:
                world.seen.append(request)
            await changed(world)
            try:
                await exchange.answer(request, world.rule_for(request))
            except (Abandoned, ConnectionError):
                world.abandoned += 1
                return
            finally:
                world.in_flight -= 1
                await changed(world)
    except (asyncio.IncompleteReadError, ConnectionError, ValueError):
        pass
    finally:
        writer.close()


# --- What a test says ---------------------------------------------------------------------------------------------------

async def obey(world, command):
    if "script" in command:
        world.rules, world.used = command["script"], {}
    if "go" in command:
        world.gate(command["go"]).set()
    if "until" in command:
        wanted = command["until"]
        async with world.changed:
            await world.changed.wait_for(lambda: world.requests >= wanted.get("requests", 0)
                                         and world.abandoned >= wanted.get("abandoned", 0)
                                         and (not wanted.get("idle") or world.in_flight == 0))
    if command.get("seen"):
        return {"seen": world.seen}
    return world.stats()


async def take_commands(world):
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=1 << 26)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        print(json.dumps(await obey(world, json.loads(line))), flush=True)


def make_certificates(folder):
    """A CA of our own and a certificate of it for loopback."""
    def openssl(*words):
        subprocess.run(("openssl",) + words, cwd=folder, check=True, capture_output=True)

    new = ("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    openssl(*new, "-x509", "-days", "2", "-subj", "/CN=test CA", "-keyout", "ca.key", "-out", "ca.pem")
    openssl(*new, "-subj", "/CN=localhost", "-keyout", "server.key", "-out", "server.csr")
    with open(os.path.join(folder, "names"), "w", encoding="utf-8") as names:
        names.write("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
            "-extfile", "names", "-out", "server.pem")


async def main(world):
    options = argparse.ArgumentParser()
    options.add_argument("--port", type=int, default=0)
    options.add_argument("--tls", metavar="FOLDER", help="listen with TLS too, with certificates made in that folder")
    options.add_argument("--script", default="[]", help="the first script")
    options.add_argument("--forget", action="store_true", help="keep no record of requests")
    options = options.parse_args()
    world.rules = json.loads(options.script)
    world.keep = not options.forget
    about = {}

    async def client(reader, writer):
        await serve(world, reader, writer)

    plain = await asyncio.start_server(client, "127.0.0.1", options.port, backlog=4096, limit=1 << 20)
    about["port"] = plain.sockets[0].getsockname()[1]
    if options.tls:
        make_certificates(options.tls)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(os.path.join(options.tls, "server.pem"), os.path.join(options.tls, "server.key"))
        secret = await asyncio.start_server(client, "127.0.0.1", 0, ssl=context, backlog=4096)
        about["tls_port"] = secret.sockets[0].getsockname()[1]
        about["ca"] = os.path.join(options.tls, "ca.pem")
    print(json.dumps(about), flush=True)
    await take_commands(world)
    os._exit(0)


if __name__ == "__main__":
    asyncio.run(main(World()))

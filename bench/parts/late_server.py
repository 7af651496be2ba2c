"""A server that answers every request a second later, and does nothing else. As a program it prints its port."""
import asyncio
import json
import resource
import subprocess
import sys

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


def more_files():
    """A socket is a file, and there are going to be thousands."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def start():
    """The server, a process of its own, and the address it answers at."""
    more_files()
    server = subprocess.Popen([sys.executable, __file__], stdout=subprocess.PIPE, text=True)
    return server, f"http://127.0.0.1:{server.stdout.readline().strip()}"


if __name__ == "__main__":
    more_files()
    asyncio.run(serve())

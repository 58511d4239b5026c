"""An endpoint that answers every chat completion the same way after a fixed delay.

Run ``python server.py SECONDS``; it prints its port and serves until it is stopped. It does as little as it
can, for it shares the machine with what is measured. The path says what is answered: a label, a score with a
reason, or a grade; each with the log probabilities of its deciding token.
"""

from __future__ import annotations

import asyncio
import json
import sys

LIKELY = (-0.3, -1.5, -5.0, -6.0, -7.0)
SAID = {
    "judge": ("warm", ("warm", "cold", "Warm", "cool", "hot")),
    "score": ('{"score": 8, "reason": "It is warm."}', ("8", "7", "9", "6", "5")),
    "grade": ("GRADE: C", ("C", "I", "c", "P", "i")),
}


def answer(text: str, tokens: tuple[str, ...]) -> bytes:
    """A whole HTTP response that says ``text``, decided by the first of ``tokens``."""
    top = [{"token": t, "logprob": p, "bytes": None} for t, p in zip(tokens, LIKELY, strict=True)]
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": text, "refusal": None},
        "logprobs": {"refusal": None, "content": [{**top[0], "top_logprobs": top}]},
    }
    completion = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "small",
        "choices": [choice],
        "usage": {"prompt_tokens": 400, "completion_tokens": 1, "total_tokens": 401},
    }
    body = json.dumps(completion).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


class Endpoint(asyncio.Protocol):
    """One connection: a request is whole when its announced length is there."""

    def __init__(self, delay: float) -> None:
        self._delay, self._got = delay, b""
        self._answers = {name.encode(): answer(*said) for name, said in SAID.items()}
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way back."""
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer every whole request later."""
        self._got += data
        while (end := self._got.find(b"\r\n\r\n")) >= 0:
            head = self._got[:end].lower()
            length = int(head.split(b"content-length:", 1)[1].split(b"\r\n", 1)[0])
            if len(self._got) < end + 4 + length:
                return
            self._got = self._got[end + 4 + length :]
            said = next(text for name, text in self._answers.items() if b" /" + name + b"/" in head)
            assert self._transport is not None
            asyncio.get_running_loop().call_later(self._delay, self._transport.write, said)


async def serve(delay: float) -> None:
    """Serve on a free port."""
    server = await asyncio.get_running_loop().create_server(lambda: Endpoint(delay), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1])))

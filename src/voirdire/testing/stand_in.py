"""Stand-in: a chat completion server in a thread that answers by a rule, to try judges without a model."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

from voirdire.judges.call import Request, canonical
from voirdire.testing.fault_server import FaultServer

__all__ = ["StandIn"]


class StandIn:
    """Serves on 127.0.0.1 from :meth:`start` to :meth:`stop`, or in a ``with`` block.

    ``answer`` gives the text of the reply to each request. ``url`` is the base address for a judge's file.

    >>> with StandIn(lambda request: "pass") as server:
    ...     server.url.startswith("http://127.0.0.1:")
    True
    """

    def __init__(self, answer: Callable[[Request], str]) -> None:
        self._server = FaultServer(lambda body: answer(_request(body)))
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="stand-in", daemon=True)

    @property
    def url(self) -> str:
        """Base address for a client."""
        return self._server.url

    def start(self) -> StandIn:
        """Serve until :meth:`stop`."""
        self._thread.start()
        self._await(self._server.__aenter__())
        return self

    def stop(self) -> None:
        """Close the port and end the thread."""
        self._await(self._closed())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def __enter__(self) -> StandIn:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    async def _closed(self) -> None:
        await self._server.__aexit__(None, None, None)
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def _await(self, work: Any) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result()


def _request(body: dict[str, Any]) -> Request:
    return Request.of(canonical({"endpoint": "", **body}))

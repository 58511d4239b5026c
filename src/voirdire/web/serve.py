"""Serving: one process that answers until it is interrupted, with a log that names nobody."""

from __future__ import annotations

import contextlib
import errno
import socket
import time
from collections.abc import Callable

import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from voirdire.errors import UserError
from voirdire.review.desk import Desk
from voirdire.web.app import create_app
from voirdire.web.site import Site

__all__ = ["Log", "Logged", "listening", "serve", "serve_app"]

Log = Callable[[str], None]
"""Takes one line for each request."""
BACKLOG = 512
GRACE = 10
"""Seconds that requests under way get to finish when the server is told to stop."""
KEPT_ALIVE = 75
"""Seconds for which an idle connection is kept, more than a proxy before the server keeps it."""
TAKEN = {
    errno.EADDRINUSE: ("is taken by another program", "stop that one, or choose another port: --port"),
    errno.EACCES: ("may not be used by this account", "choose a port above 1023: --port"),
    errno.EADDRNOTAVAIL: ("is no address of this machine", "leave --host out, or give one of its own"),
}


def serve(desk: Desk, site: Site, *, log: Log | None = None, ready: Callable[[], None] | None = None) -> None:
    """Serve the review of ``desk`` until the process is interrupted; requests under way are finished first.

    ``ready`` is called once when the address is ours. A port that is taken is a user's error.
    """
    serve_app(create_app(desk, site), site, log=log, ready=ready)


def serve_app(
    app: ASGIApp, site: Site, *, log: Log | None = None, ready: Callable[[], None] | None = None
) -> None:
    """Serve any application of ours in the same way."""
    config = uvicorn.Config(
        app if log is None else Logged(app, log),
        access_log=False,
        log_config=None,
        log_level="warning",
        server_header=False,
        proxy_headers=False,
        lifespan="off",
        ws="none",
        backlog=BACKLOG,
        timeout_keep_alive=KEPT_ALIVE,
        timeout_graceful_shutdown=GRACE,
    )
    with listening(site) as ours, contextlib.suppress(KeyboardInterrupt):
        if ready is not None:
            ready()
        uvicorn.Server(config).run([ours])


def listening(site: Site) -> socket.socket:
    """A socket that listens at ``site``'s own address, where only this machine is heard unless it says so."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(site.host, site.port, type=socket.SOCK_STREAM)[0]
        ours = socket.socket(family, kind)
    except OSError as problem:
        raise _unusable(site, problem) from None
    try:
        # a server that was killed leaves connections behind that would block its address for a minute
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        ours.bind(address)
        ours.listen(BACKLOG)
    except OSError as problem:
        ours.close()
        raise _unusable(site, problem) from None
    return ours


class Logged:
    """Middleware that logs each request by its route: no address, no query, no cookie and no person."""

    def __init__(self, app: ASGIApp, log: Log) -> None:
        self._app = app
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request and log it, as 500 where it failed before it was answered."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), 500

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, watched)
        finally:
            took = 1000 * (time.perf_counter() - began)
            self._log(f"{scope['method'][:10]} {_route(scope)} {status} {took:.0f} ms")


def _route(scope: Scope) -> str:
    """The pattern that the address fitted; what a stranger asked for is not repeated."""
    if scope["path"].startswith("/static/"):
        return "/static"
    return getattr(scope.get("route"), "path", "(no such page)")


def _unusable(site: Site, problem: OSError) -> UserError:
    what, fix = TAKEN.get(problem.errno or 0, (f"cannot be used: {problem.strerror}", ""))
    return UserError(what, where=f"{site.host}, port {site.port}", fix=fix)

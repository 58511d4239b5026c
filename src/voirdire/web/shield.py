"""What stands before every page: limits on bodies, known hosts, and the headers that keep pages harmless."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from voirdire.web.site import Site

__all__ = ["POLICY", "Shield"]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
LARGEST = 256 * 1024
LARGEST_UPLOAD = 64 * 1024 * 1024
UPLOADS = "/organiser/"
YEAR = "max-age=31536000"


class Shield:
    """Middleware of every request; nothing behind it need think of hosts, sizes or headers."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self._app = app
        self._hosts = site.hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        guarded = _guarded(send, scope)
        if not self._known(headers.get("host", "")):
            await PlainTextResponse("Unknown host.\n", 421)(scope, receive, guarded)
            return
        limit = LARGEST_UPLOAD if scope["path"].startswith(UPLOADS) else LARGEST
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > limit:
            await PlainTextResponse(_too_large(limit), 413)(scope, receive, guarded)
            return
        await self._app(scope, _limited(receive, limit), guarded)

    def _known(self, host: str) -> bool:
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
        return name.strip("[]").lower() in self._hosts


def _guarded(send: Send, scope: Scope) -> Send:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            if not scope["path"].startswith("/static/"):
                headers["cache-control"] = "no-store"
            if scope.get("scheme") == "https":
                headers["strict-transport-security"] = YEAR
        await send(message)

    return guarded


def _limited(receive: Receive, limit: int) -> Receive:
    """``receive`` that ends a body of unknown length at ``limit``, as if its sender had gone."""
    seen = 0

    async def limited() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        return {"type": "http.disconnect"} if seen > limit else message

    return limited


def _too_large(limit: int) -> str:
    return f"More than {limit // 1024:,} KB were sent, which is too much; nothing was kept.\n"

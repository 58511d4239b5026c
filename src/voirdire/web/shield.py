"""What stands before every page: limits on bodies, known hosts, and the headers that keep pages harmless."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from voirdire.web.problems import FAILED, said
from voirdire.web.sessions import Sessions
from voirdire.web.site import Site

__all__ = ["POLICY", "Shield"]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
OF_ITS_OWN = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""For pages that name each of their own scripts by its hash."""
HEADERS = {
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
LONGEST_LENGTH = 13
"""Digits of a length that is not even read."""
YEAR = "max-age=31536000"


class Shield:
    """Middleware of every request; nothing behind it need think of hosts, sizes, headers or faults."""

    def __init__(
        self, app: ASGIApp, site: Site, sessions: Sessions | None = None, own_policy: str = ""
    ) -> None:
        """``own_policy`` begins the addresses of pages that carry a stricter policy of scripts themselves."""
        self._app = app
        self._sessions = sessions
        self._own_policy = own_policy
        self._hosts = site.hosts
        self._secure = site.secure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        own = bool(self._own_policy) and scope["path"].startswith(self._own_policy)
        guarded = _guarded(send, scope, self._secure, OF_ITS_OWN if own else POLICY)
        limit = self._limit(Request(scope))
        if _name(headers.get("host", "")) not in self._hosts:
            await PlainTextResponse("Unknown host.\n", 421)(scope, receive, guarded)
        elif not _fits(headers.get("content-length", "0"), limit):
            await said(Request(scope), _too_large(limit), 413)(scope, receive, guarded)
        else:
            await self._answer(scope, _limited(receive, limit), guarded)

    def _limit(self, request: Request) -> int:
        """The most bytes that are taken; only an organiser sends files."""
        uploads = (
            self._sessions is not None
            and request.scope["path"].startswith(UPLOADS)
            and self._sessions.signed(request, "organiser")
        )
        return LARGEST_UPLOAD if uploads else LARGEST

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the pages answer; a fault of ours before they do is told in a sentence, and then logged."""
        begun = False

        async def watched(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except Exception:
            if not begun:
                await said(Request(scope), FAILED, 500)(scope, receive, watched)
            raise


def _name(host: str) -> str:
    """The name in a Host header, without its port."""
    name, _, port = host.rpartition(":")
    return (name if port.isdecimal() else host).strip("[]").lower()


def _fits(length: str, limit: int) -> bool:
    return length.isascii() and length.isdecimal() and len(length) < LONGEST_LENGTH and int(length) <= limit


def _guarded(send: Send, scope: Scope, secure: bool, policy: str) -> Send:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            headers["content-security-policy"] = policy
            if not scope["path"].startswith("/static/"):
                headers["cache-control"] = "no-store"
            if secure or scope.get("scheme") == "https":
                headers["strict-transport-security"] = YEAR
        await send(message)

    return guarded


def _limited(receive: Receive, limit: int) -> Receive:
    """``receive`` that refuses a body of unknown length when it passes ``limit``."""
    seen = 0

    async def limited() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > limit:
            raise HTTPException(413, _too_large(limit))
        return message

    return limited


def _too_large(limit: int) -> str:
    return f"More than {limit // 1024:,} KB were sent, which is too much: nothing of it was kept; send less."

"""Sessions: who a browser is, by a signed cookie a role, and proof that a form came from our own page."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import threading
import time
from collections import OrderedDict, deque
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from itsdangerous import BadSignature, URLSafeTimedSerializer
from starlette.requests import Request
from starlette.responses import Response

from voirdire.review.desk import Desk
from voirdire.review.people import Link, Role, valid_link

__all__ = ["PATHS", "Guesses", "NoSession", "Session", "Sessions", "check_origin", "neighbourhood"]

PATHS: dict[Role, str] = {"rater": "/rate", "organiser": "/organiser", "panel": "/panel"}
"""Where each role's pages are; its cookie goes there only, so that one browser can hold all three."""
LIFE = 60 * 60 * 24 * 60
"""Seconds for which a browser is known without its link."""
UNKNOWN = "This browser is not known here: open the link that you were sent; everything you entered is kept."
WITHDRAWN = "This link was withdrawn: everything you handed in is kept; ask the organiser for a new one."
EXPIRED = "This browser was last here too long ago: open your link again; everything you entered is kept."
MINUTE = 60.0
MOST_ADDRESSES = 10_000


class NoSession(Exception):
    """The browser is nobody here, or may not do this; ``reason`` is a sentence for whoever reads it."""

    def __init__(self, reason: str, status: int = 401) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status


@dataclass(frozen=True)
class Session:
    """Somebody with a valid link; ``csrf`` proves that a request was made by a page of this session."""

    link: Link
    csrf: str


class Sessions:
    """Makes and reads the cookies of one store's links."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        key = desk.derived("sessions")
        self._signer = URLSafeTimedSerializer(key, salt="voirdire.session")
        self._key = key.encode()

    def begin(self, response: Response, link: Link, *, secure: bool) -> None:
        """Make this browser ``link``'s holder, under a new name that nobody could have chosen for it."""
        value = self._signer.dumps({"link": link.id, "name": secrets.token_urlsafe(16)})
        response.set_cookie(
            _cookie(link.role),
            str(value),
            max_age=LIFE,
            path=PATHS[link.role],
            secure=secure,
            httponly=True,
            samesite="strict",
        )

    def end(self, response: Response, role: Role) -> None:
        """Forget this browser."""
        response.delete_cookie(_cookie(role), path=PATHS[role], httponly=True, samesite="strict")

    def of(self, request: Request, role: Role) -> Session:
        """Who asks; a browser without a valid link of that role is refused."""
        told = self._told(request.cookies.get(_cookie(role), ""))
        if not told:
            raise NoSession(UNKNOWN)
        link = valid_link(self._desk, str(told["link"]))
        if link is None or link.role != role:
            raise NoSession(WITHDRAWN)
        proof = hmac.new(self._key, f"csrf {told['name']}".encode(), "sha256").hexdigest()
        return Session(link, proof)

    def signed(self, request: Request, role: Role) -> bool:
        """Whether the browser has, or had, a session of that role: by its cookie alone, asking no store."""
        try:
            return bool(self._told(request.cookies.get(_cookie(role), "")))
        except NoSession:
            return False

    def acting(self, request: Request, role: Role, proof: str) -> Session:
        """As :meth:`of`, for a request that changes something: it must come from a page of this session."""
        session = self.of(request, role)
        check_origin(request)
        given = request.headers.get("x-csrf-token", "") or proof
        if not hmac.compare_digest(given.encode(), session.csrf.encode()):
            raise NoSession("This page is out of date: load it again; what you entered is kept.", 403)
        return session

    def _told(self, cookie: str) -> dict[str, Any]:
        """What we once wrote into ``cookie``; nothing where we did not, or too long ago."""
        try:
            told, since = self._signer.loads(cookie, return_timestamp=True)
        except BadSignature:
            return {}
        # a clock that was set back makes cookies come from the future, which is no reason to refuse them
        if datetime.now(UTC) - since > timedelta(seconds=LIFE):
            raise NoSession(EXPIRED)
        return told if isinstance(told, dict) and {"link", "name"} <= told.keys() else {}


def check_origin(request: Request) -> None:
    """Refuse a request that another site's page made."""
    site = request.headers.get("sec-fetch-site", "same-origin")
    origin = request.headers.get("origin", "")
    foreign = bool(origin) and urlsplit(origin).netloc != request.headers.get("host", "")
    if site not in ("same-origin", "none") or foreign:
        raise NoSession("Another site made this request; nothing was done.", 403)


class Guesses:
    """Counts wrong links by address, so that nobody tries many."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._times: OrderedDict[str, deque[float]] = OrderedDict()
        self._lock = threading.Lock()

    def blocked(self, address: str) -> bool:
        """Whether ``address`` has tried too many wrong links in the last minute."""
        with self._lock:
            times = self._times.get(neighbourhood(address), deque())
            return len(times) == self._limit and times[0] > time.monotonic() - MINUTE

    def wrong(self, address: str) -> None:
        """Count a wrong link."""
        near = neighbourhood(address)
        with self._lock:
            self._times.setdefault(near, deque(maxlen=self._limit)).append(time.monotonic())
            self._times.move_to_end(near)
            while len(self._times) > MOST_ADDRESSES:
                self._times.popitem(last=False)


def neighbourhood(address: str) -> str:
    """What is counted as one address: of IPv6 the network of 64 bits, all of which one person has.

    >>> neighbourhood("2001:db8::1") == neighbourhood("2001:db8::ffff"), neighbourhood("::ffff:192.0.2.7")
    (True, '192.0.2.7')
    """
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    return str(found.ipv4_mapped or ipaddress.ip_network((int(found) >> 64 << 64, 64)))


def _cookie(role: Role) -> str:
    return f"voirdire_{role}"

"""Where the pages are served: the address that people use, and who may stand in between."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from voirdire.errors import UserError, check_whole

__all__ = ["Site"]

LOOPBACK = ("127.0.0.1", "localhost", "::1")
EVERYWHERE = ("", "*", "0.0.0.0", "::")
LAST_PORT = 65_535


@dataclass(frozen=True, kw_only=True)
class Site:
    """How the server is reached: by this machine alone, unless ``host`` says otherwise.

    ``host`` and ``port`` are what it listens on. ``public`` is the address that people use where a proxy
    stands before the server (``https://label.example.org``); ``proxies`` are the addresses or networks whose
    forwarded headers are believed. ``guesses`` is how many wrong links one address may try in a minute.
    """

    host: str = "127.0.0.1"
    port: int = 8765
    public: str = ""
    proxies: tuple[str, ...] = ()
    guesses: int = 20

    def __post_init__(self) -> None:
        check_whole("--port", self.port, 1, LAST_PORT)
        check_whole("guesses", self.guesses, 1, 1_000_000)
        if self.public and not _is_address(self.public):
            raise UserError(f"--public is '{self.public}'", expected="https://label.example.org")
        if self.host in EVERYWHERE and not self.public:
            raise UserError(
                f"--host {self.host} is no address that people could open",
                fix="say what they open: --public https://label.example.org",
            )
        for proxy in self.proxies:
            if not _is_network(proxy):
                raise UserError(f"--proxy is '{proxy}'", expected="an address or a network, such as 10.0.0.7")

    @property
    def address(self) -> str:
        """The address that links begin with, without a slash at the end."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return self.public.rstrip("/") or f"http://{host}:{self.port}"

    @property
    def secure(self) -> bool:
        """Whether people reach the pages by TLS, so that a cookie never goes without it."""
        return self.public.lower().startswith("https:")

    @property
    def hosts(self) -> frozenset[str]:
        """The names under which a request may ask for this server, so that no other site can pose as it."""
        own = urlsplit(self.address).hostname or self.host
        return frozenset({own.lower(), self.host.lower(), *LOOPBACK}) - set(EVERYWHERE)

    def link(self, token: str) -> str:
        """The link that carries ``token`` where no log and no referrer sees it: behind the ``#``."""
        return f"{self.address}/enter#{token}"


def _is_address(text: str) -> bool:
    """Whether ``text`` is the address of a whole site: a scheme, a name, perhaps a port, and no more."""
    try:
        parts = urlsplit(text)
        named = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False
    rest = parts.path.strip("/") or parts.query or parts.fragment or parts.username
    return parts.scheme in ("http", "https") and named and not rest


def _is_network(text: str) -> bool:
    try:
        ipaddress.ip_network(text)
    except ValueError:
        return False
    return True

"""Where the pages are served: the address that people use, and who may stand in between."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from voirdire.errors import UserError

__all__ = ["Site"]

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, kw_only=True)
class Site:
    """How the server is reached.

    ``host`` and ``port`` are what it listens on. ``public`` is the address that people use where a proxy
    stands before the server (``https://label.example.org``); ``proxies`` are the addresses whose forwarded
    headers are believed. ``guesses`` is how many wrong links one address may try in a minute.
    """

    host: str = "127.0.0.1"
    port: int = 8765
    public: str = ""
    proxies: tuple[str, ...] = ()
    guesses: int = 20

    def __post_init__(self) -> None:
        parts = urlsplit(self.public)
        if self.public and not (
            parts.scheme in ("http", "https") and parts.netloc and parts.path in ("", "/")
        ):
            raise UserError(f"--public is '{self.public}'", expected="https://label.example.org")

    @property
    def address(self) -> str:
        """The address that links begin with, without a slash at the end."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return self.public.rstrip("/") or f"http://{host}:{self.port}"

    @property
    def hosts(self) -> frozenset[str]:
        """The names under which a request may ask for this server, so that no other site can pose as it."""
        own = urlsplit(self.address).hostname or self.host
        return frozenset({own.lower(), self.host.lower(), *(name.strip("[]") for name in LOOPBACK)})

    def link(self, token: str) -> str:
        """The link that carries ``token`` where no log and no referrer sees it: behind the ``#``."""
        return f"{self.address}/enter#{token}"

"""A PostgreSQL server for tests, from the binaries of the machine and in a folder of its own."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import sqlalchemy as sql

PASSWORD = "planted-5f1c"
"""The server's password, which nothing that is printed or written may hold."""
SETTINGS = {"fsync": "off", "listen_addresses": "127.0.0.1", "max_connections": "200"}


@dataclass(frozen=True)
class Server:
    """A running server; every database on it is another test's."""

    port: int
    start: Callable[[], None]
    stop: Callable[[], None]

    def url(self, base: str) -> str:
        """The address of a database, with the password."""
        return f"postgresql://postgres:{PASSWORD}@127.0.0.1:{self.port}/{base}"

    def new(self, name: str) -> str:
        """The address of a new and empty database."""
        engine = sql.create_engine(
            self.url("postgres").replace("://", "+psycopg://"), isolation_level="AUTOCOMMIT"
        )
        with engine.connect() as connection:
            connection.exec_driver_sql(f'CREATE DATABASE "{name}"')
        engine.dispose()
        return self.url(name)


def binaries() -> Path | None:
    """The folder of the newest server that is installed."""
    found = shutil.which("initdb")
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: float(folder.parent.name))
    return Path(found).parent if found else folders[-1] if folders else None


@contextmanager
def serve(folder: Path, **changed: str) -> Iterator[Server]:
    """A server from the binaries in ``folder``, gone with its files when the block ends.

    ``changed`` are settings that differ from those of tests, which do without the disk.
    """
    home = Path(tempfile.mkdtemp(prefix="voirdire-postgres-"))
    secret, data = home / "password", home / "data"
    secret.write_text(PASSWORD)
    # the server refuses to run as root, so that its own user gets the folder
    as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    if as_user:
        for path in (home, secret):
            shutil.chown(path, "postgres")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {**SETTINGS, **changed, "port": str(port), "unix_socket_directories": str(home)}
    options = " ".join(f"-c {name}={value}" for name, value in settings.items())

    def run(name: str, *arguments: str) -> None:
        command = [*as_user, str(folder / name), "-D", str(data), *arguments]
        done = subprocess.run(command, cwd="/", stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert done.returncode == 0, f"{name}: {done.stdout} {done.stderr}"

    try:
        run("initdb", "-U", "postgres", "--auth=scram-sha-256", f"--pwfile={secret}", "-E", "UTF8", "-N")
        start = partial(run, "pg_ctl", "-w", "-o", options, "-l", str(home / "log"), "start")
        stop = partial(run, "pg_ctl", "-m", "immediate", "stop")
        start()
        try:
            yield Server(port, start, stop)
        finally:
            stop()
    finally:
        shutil.rmtree(home, ignore_errors=True)

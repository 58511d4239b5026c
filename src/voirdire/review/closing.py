"""Closing a round, and opening it again; each is an act in the log."""

from __future__ import annotations

import secrets

from voirdire.review.desk import Desk, Round
from voirdire.review.log import Cell, Event, record

__all__ = ["close", "reopen"]


def close(desk: Desk, round_: Round) -> None:
    """From now on answers are kept as late and left out of every figure."""
    _turn(desk, round_, "closed")


def reopen(desk: Desk, round_: Round) -> None:
    """Take answers again, until the round is closed by hand: its closing time counts no longer."""
    _turn(desk, round_, "reopened")


def _turn(desk: Desk, round_: Round, kind: str) -> None:
    with desk.transaction() as connection:
        record(connection, Event(secrets.token_hex(8), kind, Cell(round_.id, "")))

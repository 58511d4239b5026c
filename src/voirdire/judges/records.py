"""Replies and verdicts as rows of the store, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from voirdire.judges.call import Reply, Request, Token
from voirdire.judges.recipe import Verdict

__all__ = ["Origin", "now", "reply_of", "reply_row", "verdict_row"]


def now() -> str:
    """The time, in UTC to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def reply_row(
    request: Request, reply: Reply, *, run: int, retry: int, judge: str, version: str
) -> dict[str, Any]:
    """The row of ``replies`` for one call of the judge called ``judge``."""
    return {
        "request_hash": request.hash,
        "run": run,
        "sample": reply.sample,
        "retry": retry,
        "judge": judge,
        "judge_version": version,
        "status": reply.status,
        "request": request.text,
        "response": reply.raw,
        "error": reply.error,
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "cost": reply.cost,
        "latency": reply.latency,
        "attempts": reply.attempts,
        "text": reply.text,
        "tokens": [[token.text, token.logprob, token.top] for token in reply.tokens] or None,
        "finish_reason": reply.finish_reason,
        "model": reply.model,
        "created_at": now(),
    }


def reply_of(row: Mapping[str, Any]) -> Reply:
    """The reply that a row of ``replies`` keeps."""
    tokens = tuple(
        Token(text, logprob, tuple((name, value) for name, value in top))
        for text, logprob, top in row["tokens"] or ()
    )
    return Reply(
        row["status"],
        row["text"],
        tokens,
        row["finish_reason"],
        row["model"],
        row["prompt_tokens"],
        row["completion_tokens"],
        row["cost"],
        row["latency"],
        row["attempts"],
        row["error"],
        row["response"],
        row["request_hash"],
        row["sample"],
        kept=True,
    )


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where a verdict comes from: the hash of what went into it, its repeat and retry, judge and manifest."""

    content_hash: str
    run: int
    rater_id: str
    judge_version: str
    manifest: str
    retry: int = 0


def verdict_row(verdict: Verdict, origin: Origin) -> dict[str, Any]:
    """The row of ``verdicts`` for one verdict."""
    return {
        **vars(verdict),
        **vars(origin),
        "citations": [asdict(one) for one in verdict.citations] or None,
        "requests": list(verdict.requests),
        "extra": dict(verdict.extra) or None,
        "created_at": now(),
    }

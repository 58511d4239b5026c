"""Makes a real log of Inspect's: a script for an environment that has ``inspect_ai`` and not this project.

``python make_inspect_log.py URL CASES FOLDER`` holds a conversation for each case of the JSON file ``CASES``
(metric, scenario, variant, and the user's lines) with the model behind the OpenAI-compatible ``URL``, twice,
and leaves an ``.eval`` file and the same as ``.json`` in ``FOLDER``.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

EPOCHS = 2


def main(url: str, cases: str, folder: str) -> None:
    """Evaluate the cases with both formats of log."""
    os.environ["MADE_BASE_URL"], os.environ["MADE_API_KEY"] = url, "none"
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ChatMessageUser
    from inspect_ai.scorer import includes
    from inspect_ai.solver import Generate, TaskState, solver

    @solver
    def says():  # type: ignore[no-untyped-def]
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            state = await generate(state)
            for line in state.metadata["lines"][1:]:
                state.messages.append(ChatMessageUser(content=line))
                state = await generate(state)
            return state

        return solve

    samples = [
        Sample(
            input=case["lines"][0],
            target="never said",
            id=f"{case['metric']}-{case['scenario']}-{case['variant']}",
            metadata=case,
        )
        for case in json.loads(Path(cases).read_text(encoding="utf-8"))
    ]
    for kind in ("eval", "json"):
        (log,) = eval(
            Task(samples, solver=says(), scorer=includes(), name="lines", epochs=EPOCHS),
            model="openai-api/made/small",
            temperature=0,
            log_dir=folder,
            log_format=kind,
            display="none",
        )
        assert log.status == "success", log.error


if __name__ == "__main__":
    main(*sys.argv[1:])

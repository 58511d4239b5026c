"""inspect_ai grading as many samples: one call each by ``model_graded_qa``, logged as it does by default.

Run ``python inspect_run.py URL CALLS CONCURRENCY`` where inspect_ai is installed.
"""

from __future__ import annotations

import os
import sys
import tempfile

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig, ModelOutput, get_model
from inspect_ai.scorer import model_graded_qa
from inspect_ai.solver import Generate, Solver, TaskState, solver
from measure import Meter, text_of


@solver
def given() -> Solver:
    """The item's text as the answer to grade, without a call."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = ModelOutput.from_content("given", state.input_text)
        return state

    return solve


def main(url: str, calls: int, concurrency: int) -> None:
    """Grade every item once."""
    os.environ["OPENAI_API_KEY"] = "none"
    config = GenerateConfig(
        max_connections=concurrency, temperature=0, max_tokens=5, logprobs=True, top_logprobs=5
    )
    grader = get_model("openai/small", base_url=url, config=config, responses_api=False)
    samples = [
        Sample(input=text_of(k), target="Is the reply warm to the person who wrote?") for k in range(calls)
    ]
    task = Task(dataset=MemoryDataset(samples), solver=given(), scorer=model_graded_qa(model=grader))
    with tempfile.TemporaryDirectory() as folder, Meter(calls, "inspect_ai", "openai"):
        (log,) = eval(task, model=grader, log_dir=folder, display="none", max_samples=concurrency)
    assert log.status == "success", log.error
    assert log.results is not None
    assert log.results.completed_samples == calls


if __name__ == "__main__":
    main(sys.argv[1] + "/grade", int(sys.argv[2]), int(sys.argv[3]))

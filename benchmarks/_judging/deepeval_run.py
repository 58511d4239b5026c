"""deepeval scoring as many test cases with G-Eval whose steps are given: one call each, with probabilities.

Run ``python deepeval_run.py URL CALLS CONCURRENCY [QUIET]`` where deepeval is installed; QUIET above 0
shows no progress, prints no results and writes no cache.
"""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import redirect_stdout

os.environ |= {"DEEPEVAL_TELEMETRY_OPT_OUT": "YES", "DEEPEVAL_UPDATE_WARNING_OPT_IN": "0"}

from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig
from deepeval.metrics import GEval
from deepeval.models import OpenAIModel
from deepeval.test_case import LLMTestCase, SingleTurnParams
from measure import Meter, text_of


def main(url: str, calls: int, concurrency: int, quiet: int = 0) -> None:
    """Score every item once, with its own model class."""
    shown = DisplayConfig(show_indicator=not quiet, print_results=not quiet, inspect_after_run=False)
    metric = GEval(
        name="warm",
        evaluation_steps=["Is the reply warm to the person who wrote?"],
        evaluation_params=[SingleTurnParams.ACTUAL_OUTPUT],
        model=OpenAIModel(model="gpt-4o-mini", api_key="none", base_url=url, temperature=0),
    )
    cases = [LLMTestCase(input=f"item {k}", actual_output=text_of(k)) for k in range(calls)]
    with tempfile.TemporaryDirectory() as folder, open(os.devnull, "w") as nowhere:
        os.chdir(folder)
        with Meter(calls, "deepeval", "openai"), redirect_stdout(nowhere):
            found = evaluate(
                cases,
                [metric],
                async_config=AsyncConfig(max_concurrent=concurrency),
                display_config=shown,
                cache_config=CacheConfig(write_cache=not quiet),
            )
    assert len(found.test_results) == calls
    assert all(result.metrics_data[0].score is not None for result in found.test_results)


if __name__ == "__main__":
    main(sys.argv[1] + "/score", *map(int, sys.argv[2:]))

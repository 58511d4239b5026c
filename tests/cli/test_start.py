"""What a command loads before it works: a slow import that nobody needs costs every run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

LABELS = "item_id,rater_id,rater_kind,label\n" + "".join(
    f"{item},{rater},{kind},{(item * step) % 2}\n"
    for item in range(8)
    for rater, kind, step in (("ann", "human", 1), ("bo", "human", 3), ("model", "judge", 5))
)


def loaded_by(*arguments: str) -> set[str]:
    """Modules in memory after a command has run."""
    code = (
        "import sys\n"
        "from voirdire.cli.main import main\n"
        f"sys.argv = {['voirdire', *arguments]!r}\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print('\\n'.join(['loaded', *sys.modules]))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split("loaded\n")[1].split())


def test_help_loads_no_number_crunching() -> None:
    assert loaded_by("--help").isdisjoint({"numpy", "scipy", "duckdb", "pydantic"})


def test_an_audit_does_not_load_what_it_does_not_need(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text(LABELS, "utf-8")
    loaded = loaded_by("audit", str(tmp_path / "labels.csv"), "--quiet", "--out", str(tmp_path / "out"))
    assert "voirdire.checks.stand_in" in loaded
    assert loaded.isdisjoint({"scipy.stats", "pandas", "pyarrow", "matplotlib"})

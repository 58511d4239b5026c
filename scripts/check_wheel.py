"""Fail unless a wheel holds the licence and every file of the package: code, templates, scripts, data."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src"


def missing_from(wheel: Path) -> list[str]:
    """Files of ``src/voirdire`` that the wheel lacks, sorted."""
    with zipfile.ZipFile(wheel) as archive:
        packed = set(archive.namelist())
    files = (path for path in (SOURCE / "voirdire").rglob("*") if path.is_file())
    wanted = {path.relative_to(SOURCE).as_posix() for path in files if "__pycache__" not in path.parts}
    faults = sorted(wanted - packed)
    return faults if any(name.endswith("/LICENSE") for name in packed) else [*faults, "LICENSE"]


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: python scripts/check_wheel.py dist/voirdire-VERSION-py3-none-any.whl", file=sys.stderr)
        return 2
    lacking = missing_from(Path(sys.argv[1]))
    for name in lacking:
        print(f"{sys.argv[1]} lacks {name}", file=sys.stderr)
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main())

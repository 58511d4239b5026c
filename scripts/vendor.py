"""Refresh or verify the code of others that reports and pages carry.

``python scripts/vendor.py`` installs the versions named in ``PACKAGES`` from npm into a temporary folder,
takes their browser builds unchanged, gathers the licence texts of all that went into them and writes
``checksums.json``.
``python scripts/vendor.py --check`` needs no network: it compares the files with ``checksums.json``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src" / "voirdire"
VENDOR = SOURCE / "report" / "vendor"
PAGES = SOURCE / "web" / "static" / "vendor"
PACKAGES = {
    VENDOR: {
        "vega": ("6.4.0", "build/vega.min.js"),
        "vega-lite": ("6.5.0", "build/vega-lite.min.js"),
        "vega-embed": ("7.3.0", "build/vega-embed.min.js"),
    },
    PAGES: {"htmx.org": ("4.0.1", "dist/htmx.min.js")},
}
"""By folder each package's version and the file taken from it, in the order in which a page loads them."""

INTERPRETER = "expressionInterpreter"
BREAKS_OUT = ("</script", "<!--")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="only compare the files with checksums.json")
    if not parser.parse_args().check:
        for vendor, packages in PACKAGES.items():
            with tempfile.TemporaryDirectory() as folder:
                refresh(vendor, npm_install(Path(folder), packages))
    faults = [fault for vendor in PACKAGES for fault in check(vendor)]
    for fault in faults:
        print(f"vendor: {fault}; run python scripts/vendor.py", file=sys.stderr)
    return 1 if faults else 0


def npm_install(folder: Path, packages: Mapping[str, tuple[str, str]]) -> Path:
    """Install the pinned packages without running their scripts; returns ``node_modules``."""
    wanted = [f"{name}@{version}" for name, (version, _) in packages.items()]
    flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--loglevel=error"]
    subprocess.run(["npm", "install", *flags, "--prefix", str(folder), *wanted], check=True)
    return folder / "node_modules"


def refresh(vendor: Path, modules: Path) -> None:
    """Write the browser builds, their licences and ``checksums.json`` from an installed tree."""
    vendor.mkdir(parents=True, exist_ok=True)
    entries = []
    for name, (version, build) in PACKAGES[vendor].items():
        package = json.loads((modules / name / "package.json").read_text(encoding="utf-8"))
        assert package["version"] == version, f"npm gave {name} {package['version']}, not {version}"
        content = (modules / name / build).read_bytes()
        file = Path(build).name
        (vendor / file).write_bytes(content)
        entries.append(
            {
                "name": name,
                "version": version,
                "licence": package["license"],
                "file": file,
                "bytes": len(content),
                "sha256": hashlib.sha256(content).hexdigest(),
            }
        )
    licences = licence_texts(modules)
    (vendor / "LICENSES.txt").write_text(licences, encoding="utf-8")
    document = {"files": entries, "licences_sha256": hashlib.sha256(licences.encode()).hexdigest()}
    (vendor / "checksums.json").write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def licence_texts(modules: Path) -> str:
    """Every distinct licence text below ``modules``, headed by the packages that carry it."""
    carriers: dict[str, list[str]] = defaultdict(list)
    for manifest in sorted(modules.glob("*/package.json")):
        package = json.loads(manifest.read_text(encoding="utf-8"))
        title = f"{package['name']} {package['version']} ({package['license']})"
        texts = sorted(path for path in manifest.parent.iterdir() if path.name.upper().startswith("LICEN"))
        assert texts, f"{title} has no licence text"
        carriers[texts[0].read_text(encoding="utf-8").replace("\r\n", "\n").strip()].append(title)
    head = "The browser builds in this folder contain code of these packages, under these licences.\n"
    blocks = [f"{', '.join(names)}\n\n{text}\n" for text, names in carriers.items()]
    return f"\n{'=' * 80}\n\n".join([head, *blocks])


def check(vendor: Path) -> list[str]:
    """What is wrong with the vendored files; empty when they are what ``checksums.json`` says."""
    document = json.loads((vendor / "checksums.json").read_text(encoding="utf-8"))
    faults = []
    for entry in document["files"]:
        content = (vendor / entry["file"]).read_bytes()
        if hashlib.sha256(content).hexdigest() != entry["sha256"]:
            faults.append(f"{entry['file']} is not {entry['name']} {entry['version']}")
        faults += [f"{entry['file']} contains {mark!r}" for mark in BREAKS_OUT if mark.encode() in content]
    wanted = [Path(build).name for _, build in PACKAGES[vendor].values()]
    if [entry["file"] for entry in document["files"]] != wanted:
        faults.append("checksums.json lists other files than scripts/vendor.py")
    if vendor == VENDOR and INTERPRETER.encode() not in (vendor / "vega-embed.min.js").read_bytes():
        faults.append(f"vega-embed.min.js carries no {INTERPRETER}")
    licences = (vendor / "LICENSES.txt").read_bytes()
    if hashlib.sha256(licences).hexdigest() != document["licences_sha256"]:
        faults.append("LICENSES.txt was changed")
    return faults


if __name__ == "__main__":
    sys.exit(main())

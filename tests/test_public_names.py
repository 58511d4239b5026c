"""What `import voirdire` offers: every public name, found when it is first used."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys

import pytest

import voirdire


@pytest.mark.parametrize("name", voirdire.__all__)
def test_every_public_name_is_found_and_listed(name: str) -> None:
    assert getattr(voirdire, name) is not None
    assert name in dir(voirdire)


def test_names_are_the_objects_of_their_modules() -> None:
    from voirdire.checks.audit import audit
    from voirdire.opening import open as open_study

    assert voirdire.audit is audit
    assert voirdire.open is open_study
    assert issubclass(voirdire.UserErrors, voirdire.UserError)
    assert voirdire.__version__ == importlib.metadata.version("voirdire")


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'audti'"):
        voirdire.audti  # noqa: B018


def test_importing_prints_and_loads_nothing() -> None:
    code = "import sys, voirdire; print([name for name in sys.modules if name.startswith('voirdire.')])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (result.stdout.strip(), result.stderr) == ("[]", "")

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the tests with containers to CI: they repeat those without, and tests/contract compares the sandboxes."""
    for item in items:
        if item.path.is_relative_to(HERE) and item.get_closest_marker("docker"):
            item.add_marker(pytest.mark.slow)

"""How tests are dealt out to processes (`pytest -n 2`): kernels first and one at a time, the browser last of all.

All other files go to whoever is free, whole, since their tests share what is costly to make. Whatever drives a kernel or
a page has deadlines, and more than one of them at once would be too much for two cores.
"""

from __future__ import annotations

from typing import Any

from xdist.scheduler import LoadScopeScheduling

PLACES = {"tests/notebook/": 0, "examples/": 1, "tests/e2e/": 3}
ELSEWHERE = 2


def order(nodeid: str) -> int:
    """A test's place in the run, by its folder: kernels, examples, which take their time, all else, browser."""
    return next((place for folder, place in PLACES.items() if nodeid.startswith(folder)), ELSEWHERE)


class Dealer(LoadScopeScheduling):
    """Deals out files, in the order of the run; kernels and the browser as if they were one file each."""

    def __init__(self, config: Any, log: Any) -> None:
        config.option.loadscopereorder = False  # else the largest come first
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        folder = next((folder for folder in ("tests/notebook/", "tests/e2e/") if nodeid.startswith(folder)), None)
        return folder or nodeid.split("::")[0]

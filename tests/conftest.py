"""What holds for every test: no network but loopback, the chosen depth, and what happens without a browser.

HYPOTHESIS_PROFILE names the lane: `check` (the inner loop), `test` (the default) or `all` (the long forms).
"""

from __future__ import annotations

import ipaddress
import os
import shutil
import socket
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import hypothesis
import pytest

from tests.canary import KEY, Canary
from tests.workers import order

Lane = Literal["check", "test", "all"]

COUNTED, SAID = "counted", "said"
"""Properties of a test's report: a figure that is added up, and a line that is repeated at the end of the run."""

LANE: Lane = os.environ.get("HYPOTHESIS_PROFILE", "test")  # type: ignore[assignment]

# Set before anything can import litellm, and inherited by kernels and servers that tests start: it fetches a price
# list from the internet otherwise.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

# Derandomised: a red run here is red on every machine. `all` explores.
hypothesis.settings.register_profile(
    "check", max_examples=50, derandomize=True, deadline=None, print_blob=True, database=None
)
hypothesis.settings.register_profile("test", hypothesis.settings.get_profile("check"), max_examples=300)
hypothesis.settings.register_profile("all", max_examples=2_000, deadline=None, print_blob=True)
hypothesis.settings.load_profile(LANE)


def pytest_configure(config: pytest.Config) -> None:
    """Keep the person's own settings and history out of the tests, and ours out of theirs."""
    within = os.environ["SMOLPAWS_HOME"] if hasattr(config, "workerinput") else None  # where the watch looks, too
    if within is not None:
        Path(within).mkdir(exist_ok=True)
    home = tempfile.TemporaryDirectory(prefix="smolpaws-tests-", dir=within)
    config.add_cleanup(home.cleanup)
    os.environ["SMOLPAWS_HOME"] = str(Path(home.name, "smolpaws"))
    os.environ["IPYTHONDIR"] = str(Path(home.name, "ipython"))
    config.pluginmanager.register(Canary(KEY, Path(home.name)))


class OffMachine(OSError):
    """A test tried to reach another machine."""


_off_machine: list[str] = []


def _is_loopback(host: str) -> bool:
    if host in ("", "localhost"):
        return True
    try:
        return ipaddress.ip_address(host.split("%")[0]).is_loopback
    except ValueError:
        return False


def _guard(event: str, args: tuple[Any, ...]) -> None:
    """Audit hook: sees every connection that Python code of this process makes, also inside libraries."""
    if event in ("socket.connect", "socket.sendto"):
        address = args[1]
        if not isinstance(address, tuple):  # a unix socket
            return
        host = str(address[0])
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        host = args[0].decode() if isinstance(args[0], bytes) else str(args[0] or "")
        if host.endswith(".invalid"):  # RFC 6761: never resolves. Tests of an unknown host use it
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
    else:
        return
    if not _is_loopback(host):
        _off_machine.append(f"{event} {host}")
        raise OffMachine(f"tests may only talk to this machine, not to {host!r} ({event})")


sys.addaudithook(_guard)


@pytest.fixture(autouse=True)
def only_this_machine() -> Iterator[None]:
    """Fail a test that tried to reach another machine, even when the refusal was swallowed on the way."""
    _off_machine.clear()
    yield
    assert not _off_machine, f"the test tried to leave this machine: {_off_machine}"


@pytest.fixture(scope="session")
def lane() -> Lane:
    """The depth of this run, for tests that count their own rounds: `{"check": 3, "test": 10, "all": 60}[lane]`."""
    return LANE


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of the project."""
    return Path(__file__).parent.parent


@pytest.fixture
def count(record_property: Callable[[str, object], None]) -> Callable[[str, int], None]:
    """Adds to a figure of the last lines of a run: `count("crash points", 12)`. It goes with the report of the test."""

    def add(what: str, number: int) -> None:
        record_property(COUNTED, (what, number))

    return add


@pytest.fixture
def say(record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Repeats a line at the end of the run."""
    return lambda line: record_property(SAID, line)


def find_chromium() -> str | None:
    """The browser that the tests drive: $CHROMIUM, or one that is installed. None is downloaded."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests in a browser come last: Playwright keeps an event loop on the main thread, where no other test could run one."""
    items.sort(key=lambda item: order(item.nodeid))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With `-n`, files go to whoever is free; see `tests/workers.py`."""
    from tests.workers import Dealer

    return Dealer(config, log)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Apply the rule for `@pytest.mark.browser`."""
    if item.get_closest_marker("browser") is None or find_chromium():
        return
    missing = "needs Chromium: install it (Debian: apt-get install chromium) or set CHROMIUM to its path"
    if os.environ.get("REQUIRE_BROWSER") == "1":
        pytest.fail(f"REQUIRE_BROWSER=1, and the test {missing}", pytrace=False)
    pytest.skip(missing)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was counted, how much of the papers tests name, and how many browser tests did not run: green is not whole."""
    reports = [r for r in terminalreporter.stats.get("passed", []) if r.when == "call"]
    counted: Counter[str] = Counter()
    for what, number in (value for report in reports for name, value in report.user_properties if name == COUNTED):
        counted[what] += number
    if counted:
        figures = ", ".join(f"{number:,} {what}" for what, number in sorted(counted.items()))
        terminalreporter.write_line(f"counted: {figures}")
    for line in (value for report in reports for name, value in report.user_properties if name == SAID):
        terminalreporter.write_line(line)
    skipped = [r for r in terminalreporter.stats.get("skipped", []) if "browser" in r.keywords]
    if skipped:
        terminalreporter.write_line(f"{len(skipped)} browser tests were skipped: no Chromium was found", yellow=True)

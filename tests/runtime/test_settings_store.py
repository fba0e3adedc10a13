"""The settings files on disk: found, read, and replaced whole (contract, R-SET-4 and R-SET-31)."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from smolpaws_jupyter.core.errors import SettingsError, StoreError
from smolpaws_jupyter.core.policies.agent_reset import AgentResetSettings
from smolpaws_jupyter.core.profiles import LLMProfile
from smolpaws_jupyter.core.settings import AgentSettings
from smolpaws_jupyter.runtime.settings_store import SettingsStore, home_folder


@pytest.fixture
def store(tmp_path: Path) -> SettingsStore:
    return SettingsStore(tmp_path / "home")


def state(store: SettingsStore) -> Any:
    return json.loads((store.home / "state.json").read_text("utf-8"))


def put(store: SettingsStore, text: str, name: str = "state.json") -> Path:
    store.home.mkdir(exist_ok=True)
    path = store.home / name
    path.write_text(text, "utf-8")
    return path


# Where


def test_t_set_23_the_files_lie_in_smolpaws_home_or_in_the_home_folder(tmp_path: Path):
    """T-SET-23, the files' part: R-SET-31."""
    assert home_folder({"SMOLPAWS_HOME": str(tmp_path)}) == tmp_path
    assert home_folder({"SMOLPAWS_HOME": "~/elsewhere"}) == Path.home() / "elsewhere"
    assert home_folder({}) == Path.home() / ".smolpaws"
    assert home_folder({"SMOLPAWS_HOME": ""}) == Path.home() / ".smolpaws"
    assert SettingsStore().home == Path(os.environ["SMOLPAWS_HOME"])


def test_t_set_23_reading_where_nothing_is_makes_nothing(store: SettingsStore):
    """T-SET-23: R-SET-31, R-SET-32."""
    saved = store.read()

    assert saved.agent_settings is None
    assert dict(saved.catalogue.profiles) == {}
    assert saved.unknown_keys == ()
    assert not store.home.exists()


# Reading


def test_what_is_saved_is_read_again(store: SettingsStore):
    """R-SET-1, R-SET-2."""
    store.save_agent_settings(AgentSettings(condenser=AgentResetSettings(), llm_profile_ref="main"))
    store.save_profile("main", LLMProfile(model="vendor/large", max_input_tokens=400_000))
    store.save_role("condenser", "main", scope="notebooks/report.ipynb")

    saved = store.read()

    assert saved.agent_settings == AgentSettings(condenser=AgentResetSettings(), llm_profile_ref="main")
    assert saved.catalogue.profiles == {"main": LLMProfile(model="vendor/large", max_input_tokens=400_000)}
    assert saved.catalogue.in_role("condenser", "notebooks/report.ipynb") == "main"
    assert saved.catalogue.in_role("condenser", None) is None


def test_t_set_18_a_mistyped_key_is_reported(store: SettingsStore):
    """T-SET-18: R-SET-5."""
    put(store, '{"settings": {"agent_settings": {"hard_condensr": null}}}')

    assert store.read().unknown_keys == (("hard_condensr", "hard_condenser"),)


def test_r_pyd_6_an_error_names_the_whole_path_of_the_file(store: SettingsStore):
    """R-PYD-6."""
    path = put(store, '{"settings": {"agent_settings": {"max_steps_per_run": 0}}}')

    with pytest.raises(SettingsError) as caught:
        store.read()
    assert caught.value.source == str(path)
    assert caught.value.path == "settings.agent_settings.max_steps_per_run"


def test_r_set_2_an_error_in_models_json_names_that_file(store: SettingsStore):
    """R-SET-2, R-PYD-6."""
    path = put(store, '{"roles": 5}', "models.json")

    with pytest.raises(SettingsError, match="roles: expected an object") as caught:
        store.read()
    assert caught.value.source == str(path)


def test_a_file_with_a_byte_order_mark_is_read(store: SettingsStore):
    put(store, '\ufeff{"llmProfiles": {"main": {"model": "practice"}}}')

    assert set(store.read().catalogue.profiles) == {"main"}


def test_i_40_a_file_that_is_no_text_is_an_ordinary_error(store: SettingsStore):
    """I-40, R-PYD-6."""
    put(store, "").write_bytes(b'{"a": "sk-canary \xff"}')

    with pytest.raises(SettingsError, match="UTF-8") as caught:
        store.read()
    assert caught.value.__context__ is None
    assert "sk-canary" not in str(vars(caught.value))


def test_a_folder_in_the_place_of_a_file_is_an_ordinary_error(store: SettingsStore):
    (store.home / "state.json").mkdir(parents=True)

    with pytest.raises(SettingsError, match="readable file"):
        store.read()


# Writing


def test_t_set_08_a_change_keeps_every_other_value_of_the_file(store: SettingsStore):
    """T-SET-08: R-SET-4."""
    before = {
        "z": [1.5, None],
        "settings": {"theme": "dark", "agent_settings": {"theirs": "Ж", "max_http_requests": 5}},
    }
    put(store, json.dumps(before))

    store.save_agent_settings({"condenser": {"condenser_kind": "agent_reset"}})

    before["settings"]["agent_settings"]["condenser"] = {"condenser_kind": "agent_reset"}  # type: ignore[index]
    assert state(store) == before


def test_r_set_30_a_change_that_changes_nothing_leaves_the_file_untouched(store: SettingsStore):
    """R-SET-30: not even its layout."""
    path = put(store, '{"settings":{"agent_settings":{"max_http_requests":5}}}\n\n')
    was = path.stat()

    store.save_agent_settings({"max_http_requests": 5})

    assert path.read_text() == '{"settings":{"agent_settings":{"max_http_requests":5}}}\n\n'
    assert path.stat().st_ino == was.st_ino


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_only_the_owner_can_read_what_is_written(store: SettingsStore):
    put(store, "{}").chmod(0o644)

    store.save_profile("main", LLMProfile(model="practice"))
    store.save_role("main", "main")

    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in store.home.iterdir()}
    assert modes == {"state.json": 0o600, "models.json": 0o600}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_a_new_home_is_closed_to_others(store: SettingsStore):
    store.save_role("main", "main")

    assert stat.S_IMODE(store.home.stat().st_mode) == 0o700


def test_a_file_that_is_kept_elsewhere_stays_a_link(store: SettingsStore, tmp_path: Path):
    elsewhere = tmp_path / "dotfiles.json"
    elsewhere.write_text('{"theirs": 1}')
    store.home.mkdir()
    (store.home / "state.json").symlink_to(elsewhere)

    store.save_profile("main", LLMProfile(model="practice"))

    assert (store.home / "state.json").is_symlink()
    assert json.loads(elsewhere.read_text()) == {"theirs": 1, "llmProfiles": {"main": {"model": "practice"}}}


@pytest.mark.parametrize(
    "broken", ['{"a": 1, "a": 2}', "{", '{"settings": 5}', '{"settings": {"agent_settings": {"condenser": 5}}}']
)
def test_t_set_22_a_broken_file_is_never_written_over(store: SettingsStore, broken: str):
    """T-SET-22: R-PYD-5, R-SET-4."""
    path = put(store, broken)

    with pytest.raises(SettingsError):
        store.save_agent_settings({"max_http_requests": 2})

    assert path.read_text() == broken
    assert [entry.name for entry in store.home.iterdir()] == ["state.json"]


def test_a_refused_change_writes_nothing(store: SettingsStore):
    """R-SET-4, R-SET-23."""
    with pytest.raises(SettingsError):
        store.save_agent_settings({"hard_condenser": {"condenser_kind": "llm_summarizing", "llm_profile_ref": "x"}})

    assert not store.home.exists()


class WhileItIsRead(Mapping[str, Any]):
    """A change that lets another program write at the moment when it is looked at for the first time."""

    def __init__(self, change: dict[str, Any], other_program: Any) -> None:
        self.change = change
        self.other_program = other_program

    def __getitem__(self, key: str) -> Any:
        return self.change[key]

    def __iter__(self) -> Iterator[str]:
        if self.other_program:
            other_program, self.other_program = self.other_program, None
            other_program()
        return iter(self.change)

    def __len__(self) -> int:
        return len(self.change)


def test_r_set_4_what_another_program_writes_meanwhile_is_kept(store: SettingsStore):
    """R-SET-4: two kernels may share one home."""
    put(store, "{}")
    other = SettingsStore(store.home)

    store.save_agent_settings(
        WhileItIsRead({"max_http_requests": 2}, lambda: other.save_profile("main", LLMProfile(model="practice")))
    )

    assert state(store) == {
        "llmProfiles": {"main": {"model": "practice"}},
        "settings": {"agent_settings": {"max_http_requests": 2}},
    }
    assert [entry.name for entry in store.home.iterdir()] == ["state.json"]


def test_a_home_that_is_no_folder_is_told(tmp_path: Path):
    (tmp_path / "file").write_text("")

    with pytest.raises(SettingsError, match="Not a directory"):
        SettingsStore(tmp_path / "file").read()


def test_a_home_that_cannot_be_made_is_told(tmp_path: Path):
    (tmp_path / "home").symlink_to(tmp_path / "nowhere")
    blocked = SettingsStore(tmp_path / "home")

    with pytest.raises(StoreError, match=r"could not be written: File exists\.") as caught:
        blocked.save_role("main", "main")
    assert caught.value.code == "settings_not_saved"


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
def test_a_write_that_fails_half_way_leaves_the_file_as_it_was(store: SettingsStore):
    """The n-th byte cannot be written: the old text stays whole and nothing lies about."""
    path = put(store, '{"theirs": 1}')
    script = """
        import resource, sys
        from pathlib import Path
        from smolpaws_jupyter.core.errors import StoreError
        from smolpaws_jupyter.runtime.settings_store import SettingsStore
        resource.setrlimit(resource.RLIMIT_FSIZE, (20, 20))
        try:
            SettingsStore(Path(sys.argv[1])).save_role("main", "a" * 100)
            SettingsStore(Path(sys.argv[1])).save_agent_settings({"max_http_requests": 2})
        except StoreError as error:
            print(error)
    """

    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), str(store.home)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )

    assert "could not be written: File too large." in done.stdout
    assert "as it was" in done.stdout
    assert path.read_text() == '{"theirs": 1}'
    assert [entry.name for entry in store.home.iterdir()] == ["state.json"]

"""The tree of errors: what each says, and that it can cross a process boundary."""

from __future__ import annotations

import inspect
import pickle

import pytest

from smolpaws_jupyter.core import errors
from smolpaws_jupyter.core.errors import (
    ApprovalNeeded,
    CommandRefused,
    ConversationNotFound,
    ConversationReadOnly,
    LogDamaged,
    ProfileError,
    RunError,
    SettingsError,
    SmolPawsError,
    StartError,
    StoreError,
    WorkspaceError,
)

ONE_OF_EACH = [
    SmolPawsError("code", "What."),
    SettingsError("a.b", "a number", allowed=("1", "2"), source="state.json", detail="Also: c."),
    StartError("reserved_tool_name", "What.", detail="Next step."),
    ProfileError("profile_not_found", "What."),
    CommandRefused("nothing_to_condense", "What."),
    ConversationNotFound("What."),
    ConversationReadOnly("What.", detail="Next step."),
    ApprovalNeeded("action-1", "run_python", "What."),
    WorkspaceError("What."),
    RunError("input_too_large", "What."),
    StoreError("What.", code="disk_full"),
    LogDamaged("What."),
]


def test_every_error_of_the_tree_is_in_this_file_and_in_the_drawing():
    defined = {value for _, value in inspect.getmembers(errors, inspect.isclass) if issubclass(value, SmolPawsError)}

    assert {type(error) for error in ONE_OF_EACH} == defined
    assert errors.__doc__ is not None
    assert all(kind.__name__ in errors.__doc__ for kind in defined)


@pytest.mark.parametrize("error", ONE_OF_EACH, ids=lambda error: type(error).__name__)
def test_an_error_crosses_a_process_boundary_whole(error: SmolPawsError):
    copy = pickle.loads(pickle.dumps(error))

    assert type(copy) is type(error)
    assert vars(copy) == vars(error)
    assert str(copy) == str(error)
    assert copy.args == error.args


def test_an_error_tells_the_next_step():
    assert str(StartError("reserved_tool_name", "What.", detail="Next step.")) == "What. Next step."
    assert str(StartError("reserved_tool_name", "What.")) == "What."
    assert str(ONE_OF_EACH[1]) == "state.json: a.b: expected a number. Allowed: 1, 2. Also: c."


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("agent_controlled_condensation", 409),
        ("condensation_not_available", 422),
        ("nothing_to_condense", 422),
        ("condensation_failed", 502),
        ("conversation_not_found", 404),
        ("conversation_read_only", 409),
    ],
)
def test_r_code_4_each_refusal_has_its_status(code: str, status: int):
    """R-CODE-4, R-STR-3, R-MAN-8."""
    assert CommandRefused(code, "What.").status == status


def test_r_code_4_a_refusal_with_a_class_of_its_own_has_its_code_and_status():
    """R-CODE-4."""
    assert (ConversationNotFound("What.").code, ConversationNotFound("What.").status) == ("conversation_not_found", 404)
    assert (ConversationReadOnly("What.").code, ConversationReadOnly("What.").status) == ("conversation_read_only", 409)


def test_r_stop_16_approval_needed_names_the_call():
    """R-STOP-16."""
    error = ApprovalNeeded("action-1", "run_python", "run_python waits for your approval.")

    assert (error.action_id, error.tool_name, error.code) == ("action-1", "run_python", "approval_needed")

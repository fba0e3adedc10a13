"""What the papers ask for and no test shows yet. This list only shrinks: an entry that a test names is an error, too."""

from __future__ import annotations

from tests.contracts.requirements import ids_in

BUILT_LATER = frozenset(
    ids_in(
        """
        summarizing_window: T-WIN-01 to T-WIN-18
        llm_summarizing: T-ORD-01 to T-ORD-07, T-BOUND-04, T-BOUND-05
        manual condensation: T-MAN-02 to T-MAN-04, T-BOUND-06
        """
    )
)

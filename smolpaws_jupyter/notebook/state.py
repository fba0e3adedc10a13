"""Answers what the page's tab of the conversation asks: its model, its way to keep a context, the stored ones."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ..core import questions as q
from ..core.budget import Budget
from ..core.policies import CONDENSERS
from ..core.profile_choice import NamedProfile
from ..core.profiles import Binding
from ..runtime.checkup import key_state
from ..runtime.keys import Keys
from ..runtime.library import conversations
from ..runtime.starting import freeze
from .doctor import examine
from .exporting import export

if TYPE_CHECKING:
    from .session import Session


async def state(session: Session, asked: q.State) -> q.StateIs:
    """The model in use, what the policy does next, and the saved profiles with whether their keys are there."""
    talk, opener = session.conversation, session.opener
    binding, budget, outlook = talk.view.binding, talk.budget, talk.next_step
    assert binding is not None
    profiles = opener.catalogue.profiles
    saved = [freeze(NamedProfile(name, profile)) for name, profile in sorted(profiles.items())]
    return q.StateIs(
        id=asked.id,
        condenser=talk.policy.kind,
        outlook=outlook,
        profile=await asyncio.to_thread(_profile, binding, budget, opener.keys),
        saved=tuple(await asyncio.to_thread(lambda: [_profile(one, _said(one), opener.keys) for one in saved])),
        kinds=tuple(q.Choice(name=kind, about=settings.about) for kind, settings in CONDENSERS.items()),
    )


def _profile(binding: Binding, budget: Budget, keys: Keys) -> q.Choice:
    match budget.limit_from:
        case "profile":
            size = f"{budget.limit:,} tokens, set in the profile"
        case "model":
            size = f"{budget.limit:,} tokens, the model's window"
        case "unknown":
            size = "limit not known yet"
    key = {"found": "key found", "missing": "key not found", "not needed": "no key needed"}[key_state(binding, keys)]
    return q.Choice(name=binding.profile, about=f"{binding.model} · {size} · {key}")


def _said(binding: Binding) -> Budget:
    """What a profile says of its limit; the model's own window is looked up when it is used."""
    limit = binding.max_input_tokens
    return Budget(limit=limit, limit_from="unknown" if limit is None else "profile")


async def stored(session: Session, asked: q.Conversations) -> q.ConversationsAre:
    """The stored conversations, and whether there are more than were asked for."""
    infos = await asyncio.to_thread(conversations, session.opener.folder, asked.most + 1)
    return q.ConversationsAre(id=asked.id, conversations=tuple(infos[: asked.most]), more=len(infos) > asked.most)


async def exported(session: Session, asked: q.Export) -> q.Shown:
    """The conversation as a text that a page can fetch."""
    log = session.conversation.log
    stop = len(log)
    text = await asyncio.to_thread(lambda: export(log.read(0, stop), asked.format))
    return session.requests.keep(asked.id, text)


async def examined(session: Session, asked: q.Examine) -> q.Examined:
    """What the doctor finds for this session."""
    opener = session.opener
    findings = await asyncio.to_thread(examine, opener.workspace.root, opener.keys, [session])
    return q.Examined(id=asked.id, findings=tuple(findings))

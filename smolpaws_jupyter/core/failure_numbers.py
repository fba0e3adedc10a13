"""The numbers that a refusal names: how large the input was and the window is, how much output was reserved (R-FAIL-7)."""

# ruff: noqa: E501, ISC004 - one sentence a row, as it is said

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from .failure_body import ErrorBody
from .failure_wordings import plain


@dataclass(frozen=True, slots=True)
class Numbers:
    """In tokens; None where the refusal does not say."""

    input_tokens: int | None = None
    window: int | None = None
    output_tokens: int | None = None


# One row a shape of sentence. {i} is the input, {w} the window, {o} the reserved output, {n} a number of no interest.
_NUMBER = r"\d[\d,]*(?:\.\d+)?"
_SENTENCES = (
    r"exceed context limit: {i} \+ {o} > {w}",
    r"too long: {i}(?: tokens)? > {w}",
    r"too long: {i}, model maximum context length: {w}",
    r"request \({i} tokens\) exceeds the available context size \({w} tokens\)",
    r"input token count (?:is )?\(?{i}\)?,? (?:but (?:the )?model only supports up to|exceeds the maximum number of tokens allowed) \(?{w}",
    r"maximum context length is {w} tokens\W+however, you requested (?:about )?{n} tokens \({i} (?:of text input|in (?:the|your) (?:messages|prompt))"
    r"[,;](?: {n} in the functions,)?(?: {n} of tool input,)?(?: and)? {o} (?:in|for) the",
    r"maximum context length is {w} tokens\W+however, you requested {o} output tokens and your prompt contains (?:at least )?{i} input",
    r"(?:too large|exceeds?): {o}\. this model's maximum context length is {w} tokens and your request has {i} input",
    r"you passed {i} input tokens and requested {o} output tokens\. however, the model's context length is only {w}",
    r"maximum context length of {w} tokens\. you requested a total of {n} tokens: {i} tokens from the input messages and {o} tokens for the completion",
    r"must be <= {w}\. given: {i} `?inputs`? tokens and {o}",
    r"maximum context length is {w}(?: tokens)?\W+however, (?:your messages|the messages)? ?resulted in (?:over )?{i}",
    r"maximum (?:prompt|context) length is {w} but the request contains {i}",
    r"configured limit of {w} tokens\W+your messages resulted in {i}",
    r"prompt contains {i} tokens.{{0,40}}too large for model with {w}",
    r"(?:prompt|input) token count of {i} exceeds the limit of {w}",
    r"request contains {i} tokens, which exceeds the limit of {w}",
    r"input \({i} tokens\) is longer than the model's context length \({w}",
    r"(?:prompt|input)[^.(]{{0,30}}\((?:(?:total )?length )?{i}(?: tokens)?\)[^.(]{{0,60}}\((?:context length )?{w}",
    r"decoder prompt \(length {i}\) is longer than the maximum model length of {w}",
    r"input tokens: {w}, request input token count: {i}",
    r"prompt tokens \({i}\) exceed model maximum \({w}\)",
    r"number of input tokens {i} cannot exceed the total tokens limit {w}",
    r"prompt_tokens \({i}\) must be less than max_seq_len \({w}\)",
    r"current length is {i} while limit is {w}",
    r"n_keep \({i}\) >= n_ctx \({w}\)",
    r"first {i} tokens when context the overflows.{{0,80}}context length of only {w}",
    r"prompt has {i} tokens, but the configured context size is {w}",
    r"requested tokens \({i}\) exceed context window of {w}",
    r"(?:input|prompt) length \(?{i}(?: tokens)?\)? exceeds (?:the )?max\w* (?:\w+ )?(?:length|of) ?\(?{w}",
    r"cannot exceed {w} - received {i}",
    r"must have less than {w} tokens\. given: {i}",
    r"range of input length should be \[\d+, {w}\]",
    r"(?:max(?:imum)? size: ?|tokens allowed \(|exceeded model token limit: |supports up to |context length (?:is|of) |exceeds the limit of ){w}",
    r"maximum (?:context|prompt) length(?: is| of|:)? {w}",
    r"context (?:length|window|size)(?: limit)?(?: is| of|:)?(?: only)? \(?{w}",
    r"exceed model limit \({w}",
)


@cache
def _pattern(sentence: str) -> re.Pattern[str]:
    names = {"i": "input", "w": "window", "o": "output"}
    groups = {key: f"(?P<{name}>{_NUMBER})" for key, name in names.items()}
    return re.compile(sentence.format(n=_NUMBER, **groups))


def numbers_of(body: ErrorBody) -> Numbers:
    """The numbers of a refusal, from fields of their own or else from its message."""
    fields = body.fields or {}
    if fields.get("n_prompt_tokens") or fields.get("n_ctx"):
        return Numbers(input_tokens=fields.get("n_prompt_tokens"), window=fields.get("n_ctx"))
    return numbers_in(body.text)


def numbers_in(text: str) -> Numbers:
    """The numbers that the first sentence of a known shape names; numbers of other sentences are nobody's."""
    text = plain(text)
    for sentence in _SENTENCES:
        if match := _pattern(sentence).search(text):
            found = match.groupdict()
            return Numbers(_tokens(found.get("input")), _tokens(found.get("window")), _tokens(found.get("output")))
    return Numbers()


def _tokens(digits: str | None) -> int | None:
    if digits is None:
        return None
    number = int(digits.split(".")[0].replace(",", ""))
    return number if 0 < number < 1_000_000_000 else None

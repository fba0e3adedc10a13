"""Failures are read from status, code, type and text, as section 13 of the contract says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smolpaws_jupyter.core import failure_wordings as said
from smolpaws_jupyter.core.failure_body import ErrorBody, read_body
from smolpaws_jupyter.core.failure_numbers import Numbers, numbers_in, numbers_of
from smolpaws_jupyter.core.failures import REPEATABLE, classify
from tests.core.refusals import NEAR_MISSES, OTHER_WORDS, OTHERS, OVERFLOWS

RECORDED = json.loads(
    (Path(__file__).parent.parent / "fixtures/cases/data/open_provider_errors.json").read_text("utf-8")
)["errors"]
SUBTYPES = {
    "rate_limit": "rate_limit",
    "quota": "rate_limit",
    "output_limit": "output_cap",
    "malformed_history": "malformed_history",
    "auth": "auth",
    "payload_bytes": "byte_limit",
    "bad_parameter": "bad_request",
}


def kind_of(status: int | None, body: object) -> str:
    error = read_body(body if isinstance(body, str) else json.dumps(body))
    return classify(status, error.code, error.type, error.text)


@pytest.mark.parametrize("case", RECORDED, ids=lambda c: c["id"])
def test_t_fail_08_each_recorded_body_has_its_class(case: dict):
    """O01, O02, O03, O04, F-38."""
    expected = "overflow" if case["expected"] == "context_overflow" else SUBTYPES[case["subtype"]]
    assert kind_of(case["status"], case["body"]) == expected


@pytest.mark.parametrize("text", OVERFLOWS.values(), ids=OVERFLOWS.keys())
def test_t_fail_02_every_wording_is_an_overflow_with_every_listed_status_and_with_no_other(text: str):
    """R-FAIL-3, I-24."""
    for status in (None, 200, 400, 413, 422, 500, 502, 503):
        assert classify(status, None, None, text) == "overflow", status
    for status in (401, 403, 404, 409, 429, 504):
        assert classify(status, None, None, text) != "overflow", status


@pytest.mark.parametrize("text", OTHER_WORDS)
def test_an_overflow_in_words_of_its_own_is_still_one(text: str):
    assert classify(400, None, None, text) == "overflow"


@pytest.mark.parametrize(("expected", "status", "text"), NEAR_MISSES)
def test_words_of_an_overflow_in_another_sense_are_none(expected: str, status: int | None, text: str):
    assert classify(status, None, None, text) == expected


def test_every_row_of_the_overflow_table_has_an_example_that_it_matches():
    for row in said.OVERFLOW:
        assert row.pattern.search(said.plain(OVERFLOWS[row.name])), row.name


@pytest.mark.parametrize(
    ("expected", "status", "code", "type_", "text"), OTHERS, ids=[f"{c}-{s}-{t[:40]}" for c, s, _, _, t in OTHERS]
)
def test_what_is_no_overflow_has_its_own_class(
    expected: str, status: int | None, code: str | None, type_: str | None, text: str
):
    assert classify(status, code, type_, text) == expected


@pytest.mark.parametrize(
    ("status", "text", "expected"),
    [
        (401, "denied", "auth"),
        (413, "the request body is too large", "overflow"),
        (413, "", "overflow"),
        (500, "upstream said no", "overflow"),
        (200, "", "overflow"),
        (None, "", "overflow"),
        (404, "", "not_found"),
        (429, "", "rate_limit"),
    ],
)
@pytest.mark.parametrize("code", sorted(said.OVERFLOW_CODES))
def test_t_fail_01_a_code_counts_only_beside_its_statuses(status: int | None, text: str, expected: str, code: str):
    """R-FAIL-2, R-FAIL-4."""
    assert classify(status, code, "invalid_request_error", text) == expected


def test_t_fail_01_a_bare_413_is_a_byte_limit_and_a_500_around_a_wording_an_overflow():
    assert classify(413, None, None, "") == "byte_limit"
    assert classify(500, None, None, "InternalServerError: prompt is too long: 3 tokens > 2 maximum") == "overflow"
    assert classify(413, None, None, "Request too large, tokens per minute: 6000") == "rate_limit"


@pytest.mark.parametrize(
    ("status", "text", "expected"),
    [
        (429, "litellm.ContextWindowExceededError: rate limited", "rate_limit"),
        (401, "litellm.ContextWindowExceededError: Incorrect API key provided", "auth"),
        (400, "litellm.ContextWindowExceededError: Incorrect API key provided", "auth"),
        (400, "litellm.ContextWindowExceededError: too many requests per minute", "rate_limit"),
    ],
)
def test_t_fail_03_a_librarys_overflow_class_makes_no_overflow_of_a_rate_limit_or_a_bad_key(
    status: int, text: str, expected: str
):
    assert classify(status, None, None, text) == expected


def test_t_fail_04_an_output_parameter_alone_is_a_cap_and_together_with_the_input_an_overflow():
    assert classify(400, None, None, "max_tokens is too large: 100000. At most 16384 are allowed.") == "output_cap"
    assert classify(400, None, None, "input length and `max_tokens` exceed context limit: 9 + 5 > 12") == "overflow"


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"type": "invalid_request_error", "message": "prompt is too long: 5 tokens > 4 maximum"}},
        {
            "error": {
                "message": "Provider returned error",
                "code": 400,
                "metadata": {"raw": '{"error":{"message":"Prompt is too long"}}'},
            }
        },
        'event: error\ndata: {"error": {"message": "context_length_exceeded"}}\n\n',
        [
            {
                "error": {
                    "code": 400,
                    "message": "The input token count (9) exceeds the maximum number of tokens allowed (8).",
                }
            }
        ],
        {
            "errors": [
                {"code": "invalid_input_argument", "message": "input tokens 9 cannot exceed the total tokens limit 8"}
            ]
        },
        {"base_resp": {"status_code": 2013, "status_msg": "invalid params, context window exceeds limit"}},
        {"detail": "maximum context length is 8 tokens"},
        "Internal Server Error: the prompt is too long",
    ],
)
def test_t_fail_05_an_overflow_inside_a_stream_or_another_error_is_an_overflow(body: object):
    """R-FAIL-5."""
    assert kind_of(None, body) == "overflow"
    assert kind_of(500, body) == "overflow"


def test_a_known_false_alarm_a_provider_that_quotes_the_person_is_taken_at_its_word():
    """Accepted: nothing in such a text tells whose words they are. The bound allows one summary for it (I-21)."""
    quoted = "Invalid value 'explain the error: prompt is too long' for field messages[3].name"
    assert classify(400, None, "invalid_request_error", quoted) == "overflow"


def test_what_a_refusal_repeats_of_the_request_is_not_read():
    echo = {"detail": [{"type": "missing", "msg": "Field required", "input": {"content": "prompt is too long"}}]}
    assert kind_of(422, echo) == "bad_request"


def test_links_are_not_read():
    text = "prompt is too long. See https://docs.example.com/api/rate-limits"
    assert classify(400, None, None, text) == "overflow"


def test_only_what_time_can_mend_may_be_repeated():
    """R-FAIL-8."""
    assert {"rate_limit", "timeout", "transport", "server"} == REPEATABLE


NUMBERS = {
    "llama_cpp": Numbers(2579, 2048),
    "anthropic_prompt": Numbers(209303, 200000),
    "anthropic_input_and_output": Numbers(196973, 204648, 8192),
    "openai_maximum": Numbers(133625, 128000),
    "openrouter": Numbers(38892, 40960, 4096),
    "vllm 2026": Numbers(180225, 196608, 16384),
    "vllm output too large": Numbers(1000, 32768, 32000),
    "vllm_only": Numbers(32769, 32768, None),
    "vllm_fit": Numbers(9002, 8192),
    "vllm_model_length": Numbers(40000, 32768),
    "sglang": Numbers(61709, 40960),
    "sglang total": Numbers(29004, 32768, 4096),
    "sglang scheduler": Numbers(40000, 32759),
    "gemini": Numbers(2800010, 1048575),
    "gemini without counts": Numbers(None, 1048576),
    "vertex": Numbers(1251952, 1048576),
    "azure_configured_limit": Numbers(509178, 272000),
    "xai_maximum": Numbers(537812, 131072),
    "mistral": Numbers(65673, 32768),
    "copilot": Numbers(93854, 90000),
    "cerebras": Numbers(42328, 40000),
    "tgi_total": Numbers(8740, 4096, 500),
    "tgi_inputs": Numbers(1168, 1024),
    "cohere_total": Numbers(130512, 128000),
    "dashscope": Numbers(None, 129024),
    "lm_studio_keep": Numbers(10136, 7866),
    "lm_studio_n_keep": Numbers(15028, 7424),
    "siliconflow": Numbers(33000, 32768),
    "watsonx": Numbers(4098, 4096),
    "bedrock count": Numbers(140000, 128000),
    "bedrock mantle": Numbers(201000, 200000),
    "kimi": Numbers(None, 262144),
    "deepinfra": Numbers(140000, 131071),
    "github_models": Numbers(None, 8000),
    "fireworks": Numbers(150000, 131071),
    "text_generation_webui": Numbers(3000, 2048),
    "llama_cpp_python": Numbers(2310, 2048),
    "configured": Numbers(32769, 32768),
    "openai_responses": Numbers(),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_r_fail_7_numbers_come_from_the_refusal_itself(name: str):
    assert numbers_in(OVERFLOWS[name]) == NUMBERS[name]


def test_r_fail_7_numbers_in_fields_of_their_own_win_over_the_message():
    body = '{"error":{"code":400,"message":"the request exceeds the context","n_prompt_tokens":2579,"n_ctx":2048}}'
    assert numbers_of(read_body(body)) == Numbers(2579, 2048)


def test_the_numbers_of_case_o04_name_the_output_allowance():
    case = next(c for c in RECORDED if c["id"] == "ovf-openrouter-output-reservation")
    assert numbers_of(read_body(json.dumps(case["body"]))) == Numbers(7_884, 131_072, 131_072)


def test_a_body_gives_code_type_text_and_usage():
    raw = '{"error": {"code": "x", "type": "y", "message": "z"}, "usage": {"prompt_tokens": -1}}'
    assert read_body(raw) == ErrorBody("x", "y", "z", None, {"prompt_tokens": -1})


def test_html_is_read_as_its_words():
    page = "<html><style>b {}</style><body><h1>502</h1> Bad   gateway</body></html>"
    assert read_body(page).text == "502 Bad gateway"


@given(st.text() | st.binary().map(lambda b: b.decode("latin-1")), st.none() | st.integers(100, 599))
def test_i_40_any_text_gets_a_class(raw: str, status: int | None):
    assert isinstance(kind_of(status, raw), str)
    numbers_of(read_body(raw))


KEYS = st.sampled_from(["error", "message", "code", "type", "detail", "details", "metadata", "raw", "usage", "n_ctx"])
SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=20)
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner), max_leaves=8)


@given(JSON)
def test_i_40_any_json_body_gets_a_class(body: object):
    error = read_body(json.dumps(body))
    numbers_of(error)
    assert isinstance(classify(400, error.code, error.type, error.text), str)


def test_i_40_a_hostile_body_is_read_quickly():
    deep = '{"error":' * 100_000
    assert read_body(deep).text
    assert kind_of(400, "a " * 500_000) == "bad_request"
    assert kind_of(400, json.dumps({"error": {"message": "exceeds " * 100_000}})) == "bad_request"

r"""What providers say when they refuse: one row a wording, each with a short name (R-FAIL-2, R-FAIL-3).

Rows are patterns over `plain(text)`: lower case, single blanks, no URLs. The table is open-ended: a new wording is a new
row here, with the recorded body as its example in the tests. General rows stand last; they read the grammar of a refusal,
so that a provider which changes its numbers or its word order is still understood.
"""

# ruff: noqa: E501, S106 - one wording a line, and none of them is a password

from __future__ import annotations

import re
from typing import NamedTuple


class Wording(NamedTuple):
    """A short name and what it looks like. The pattern is compiled when a refusal is first read, not at import."""

    name: str
    source: str

    @property
    def pattern(self) -> re.Pattern[str]:
        """The compiled pattern; `re` keeps it."""
        return re.compile(self.source)


def _rows(**patterns: str) -> tuple[Wording, ...]:
    return tuple(Wording(name, pattern) for name, pattern in patterns.items())


_URL = re.compile(r"https?://\S+")
_QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\\": " "})


_MOST = 4_000


def plain(text: str) -> str:
    """The text as wordings are compared with it; of a long one its head and tail.

    Links go first: they speak of rate limits where the refusal does not.
    """
    if len(text) > 2 * _MOST:
        text = f"{text[:_MOST]} {text[-_MOST:]}"
    return " ".join(_URL.sub(" ", text).lower().translate(_QUOTES).split())


def matching(text: str, rows: tuple[Wording, ...]) -> str | None:
    """The name of the first row that `text`, already plain, contains; else None."""
    return next((row.name for row in rows if row.pattern.search(text)), None)


OVERFLOW_CODES = frozenset({"context_length_exceeded", "context_window_exceeded", "input_context_length_exceeded"})

_CONTEXT = r"context[ _-]?(?:length|window|size|limit|capacity|budget)"
_WORDS = r"(?:\S+ ){0,8}?"
_TOO_BIG = r"(?:exceed\w*|surpass\w*|overflow\w*|(?:larger|longer|greater|more) than|above|over|beyond|>=?)"
_NOT_TEXT = r"(?!image|file|video|audio|media|attachment|name|argument|schema|array|url)"
_SUBJECT = r"(?:input|inputs|prompt|context|conversation|messages|history|request|total)"

OVERFLOW = _rows(
    litellm_class=r"contextwindowexceedederror",
    anthropic_prompt=r"prompt is too long",
    anthropic_input_and_output=r"input length and `?max_tokens`? exceed context limit",
    openai_reduce=r"please reduce the length of",
    llama_cpp=r"exceeds the available context size",
    llama_cpp_full=r"context size has been exceeded",
    code_in_words=r"context[ _]length[ _]exceeded",
    openai_responses=r"input exceeds the context window",
    minimax=r"context window exceeds limit",
    openai_maximum=r"maximum context length",
    bedrock_input=r"input is too long for requested model",
    xai_maximum=r"maximum prompt length",
    ollama=r"exceeded (?:max )?context length",
    vllm_fit=r"too long to fit into the model",
    mistral=r"too large for model",
    gemini=r"input token count.*exceeds the maximum number of tokens",
    vertex=r"input token count is \d+,? but (?:the )?model only supports",
    codes=r"model_max_prompt_tokens_exceeded|exceed_context_size_error|model_context_window_exceeded|tokens_limit_reached"
    r"|token_quantity_exceeded|(?:prompt|input)_too_long|context_?(?:length|window)_?exceeded|outofcontexterror|context_too_long",
    azure_configured_limit=r"input tokens exceed the configured limit",
    cerebras=r"current length is \d+ while limit is \d+",
    github_models=r"max(?:imum)? size: ?\d+ tokens",
    tgi_inputs=r"`?inputs`? must have less than \d+ tokens",
    tgi_total=r"`?inputs`? tokens \+ `?max_new_tokens`? must be <=",
    siliconflow=r"(?:prompt_tokens|max_total_tokens) \(\d+\) must be less than",
    lm_studio_keep=r"keep the first \d+ tokens when context the overflows|tokens to keep from the initial prompt is greater",
    lm_studio_n_keep=r"n_keep.{0,20}>=? ?n_ctx",
    lm_studio_reached=r"reached context length of \d+ tokens",
    vllm_negative_rest=r"max(?:_completion)?_tokens must be at least 1, got -\d+",
    vllm_model_length=r"maximum model length|(?:exceed\w*|than) (?:max_(?:model_len|seq_len|position_embeddings)|n_ctx)|n_ctx exceeded",
    vllm_only=r"context length is only \d+",
    tensorrt_sum=r"sum of prompt length.{0,80}should not exceed",
    watsonx=r"input tokens.{0,60}cannot exceed",
    databricks=r"prompt token count.{0,60}cannot exceed",
    cohere_total=r"number of tokens (?:\(prompt and prediction\)|in the prompt) cannot exceed",
    dashscope=r"range of input length should be",
    zhipu=r"prompt(?: tokens)? (?:exceeds max length|超长|too long)",
    perplexity=r"length of all messages is too long",
    configured=r"configured context (?:size|length|window)",
    has_but=r"(?:prompt|input|request|messages?) (?:has|contains?|requires|needs|is) \d[\d,]* tokens,? but|(?:only|at most|up to) (?:\S+ )?\d[\d,]* tokens\b.{0,40}"
    r"\b(?:input|prompt|request|messages)\b",
    maximum_of_input=r"max(?:imum)? (?:number of )?(?:input|prompt) tokens (?:is|are|of) \d",
    kimi=r"exceeded model token limit|length of tokens in the request is too long",
    kimi_conversation=r"conversation (?:length exceeded|limit reached)|reached its conversation limit",
    bedrock_schema=r"#/(?:inputtext|prompt|messages)\S*:? expected maxlength",
    anthropic_legacy=r"prompt: length: 1\.\.\d+",
    chinese=r"(?:输入|上下文|提示词|对话|内容|token ?数?量?|prompt).{0,12}(?:超长|过长|超过|超出|超限)|超[过出].{0,8}上下文",
    # General
    exceeds_a_context=rf"(?:{_TOO_BIG}|too (?:long|large|big) for|\bfit {_WORDS}(?:in|into|within)) {_WORDS}\S*{_CONTEXT}",
    a_context_is_exceeded=rf"{_CONTEXT}\S* {_WORDS}(?:exceeded|exceeds|overflow\w*|surpassed|exhausted|reached|full)\b",
    no_room_in_a_context=rf"insufficient {_CONTEXT}|{_CONTEXT}.{{0,40}}smaller than (?:the |your )?{_SUBJECT}"
    r"|\bcontext (?:has )?exceed|exceed\w* (?:the )?available context",
    prompt_too_long=rf"\b(?:{_SUBJECT}|sequence)(?: {_NOT_TEXT}\S+){{0,3}}?(?: is| are| was| were)? (?:\w+ )?too (?:long|large|big)\b"
    r"(?! for the (?:image|file))|too long,? (?:max\w*|limit)\S* \d[\d,]* tokens|max input characters",
    message_too_long=r"\bmessages? (?:\S+ ){0,3}?too long\b",
    prompt_exceeds=rf"\b(?:prompt|input|conversation) (?:is |has )?{_TOO_BIG} (?:the |this )?(?:model|max)\S* (?:\S+ ){{0,2}}?"
    r"(?:length|tokens?|context|window|capacity)\b",
    too_many_tokens=r"\btoo many (?:input |prompt |total |context )?tokens\b",
    tokens_exceed=rf"\b{_SUBJECT} {_WORDS}\S*tokens?\S* {_WORDS}{_TOO_BIG} ",
    tokens_in_request=rf"\btokens (?:in|of) (?:the |your )?{_SUBJECT} {_WORDS}{_TOO_BIG} ",
    token_count=rf"(?<!output )(?<!completion )\btoken count\S* {_WORDS}{_TOO_BIG} |\b(?:input|prompt)_tokens \S+ {_TOO_BIG}",
    length_exceeds=rf"(?<!stop )\b(?:input|prompt|context|conversation|sequence) length {_WORDS}{_TOO_BIG} "
    rf"|length of (?:the |all |your )?{_SUBJECT} {_WORDS}{_TOO_BIG} ",
    exceeds_token_limit=rf"exceed\w* {_WORDS}(?:token|input|prompt) (?:limit|length|count|budget|window|capacity)\b",
    exceeds_tokens=rf"exceed\w* {_WORDS}(?:tokens allowed|max(?:imum)? (?:number of )?(?:input |prompt )?tokens|\d[\d,]* tokens)\b",
    token_limit_reached=r"(?<!output )(?<!completion )\btokens? limit (?:was |is |has been )?(?:exceeded|reached)",
)

AUTH = _rows(
    key=r"(?:invalid|incorrect|wrong|missing|no|expired|bad|unknown|revoked|malformed)[ _]?(?:x-)?api[ _-]?key",
    key_state=r"api[ _-]?key (?:is |was |has )?(?:not valid|invalid|not found|missing|expired|required|been|not provided|incorrect)",
    key_option=r"api_key client option must be set|did not provide an? api[ _-]?key|did you provide an api",
    credentials=r"(?:invalid|incorrect|missing|no|expired|bad|unable to locate|could not (?:load|find)(?: the)?(?: default)?)"
    r" (?:auth\w* |access |bearer |security |default )?(?:credentials?|authorization|bearer)\b",
    token=r"(?:invalid|expired|missing) (?:auth\w*|access|bearer|api|security) token|security token included .{0,40}(?:invalid|expired)",
    words=r"\bunauthori[sz]ed\b|unauthenticated|authentication[ _](?:error|fail\w*|required)|authenticationerror"
    r"|could not resolve authentication|invalid private key|expiredtoken|unrecognizedclient|身份验证|密钥(?:无效|错误)",
)

RATE_LIMIT = _rows(
    name=r"rate[ _-]?limit",
    per_time=r"\b(?:tokens?|requests?|queries|images?)(?: \S+){0,2} (?:per|/|a) ?(?:min|minute|day|hour|sec|second|week|month)\b",
    short=r"\b[rt]p[mdhs]\b",
    too_many=r"too[ _]many[ _]requests|throttl|slow[ _]down|please wait before trying again",
    quota=r"\bquota|insufficient_quota|resource[ _]?exhausted|usage limit",
    in_a_period=r"\b(?:daily|hourly|weekly|monthly|per-minute|per-day) (?:\S+ ){0,3}?(?:limit|allowance)",
    chinese=r"请求过于频繁|速率限制|限流|并发(?:数)?(?:过高|超)",
)

CONTENT_POLICY = _rows(
    code=r"content[ _-]?(?:filter|policy[ _-]?violation|moderation)\b|contentpolicyviolation|responsibleaipolicyviolation"
    r"|data_?inspection_?failed|prohibited_content|content_filter_policy",
    words=r"violat\w+ (?:\S+ ){0,3}?(?:usage|content) (?:policy|policies|guidelines)|content (?:filtering|management) policy"
    r"|rejected as a result of (?:our|the) safety system|content exists risk|(?:unsafe|inappropriate|sensitive) content"
    r"|flagged (?:as|by|for) |considered high risk|敏感内容|不安全",
)

_OUTPUT_PARAMETER = r"max[ _]?(?:completion|output|new)?[ _]?tokens?\b"

OUTPUT_CAP = _rows(
    parameter=rf"{_OUTPUT_PARAMETER}.{{0,60}}?(?:too (?:large|high|big)|above|exceed|cannot (?:exceed|be (?:greater|larger|more))"
    r"|(?:must|should) be (?:less|lower|smaller|at most|no more|no greater|between|in|within|<|\[)|less than or equal"
    r"|greater than (?:max|the)|> ?\d|supported range|out of range)",
    valid_range=rf"valid range of {_OUTPUT_PARAMETER}|invalid {_OUTPUT_PARAMETER} value",
    bedrock=r"maximum tokens you requested exceeds",
    output_length=rf"\b(?:output|completion) (?:length|token limit|token count) {_WORDS}{_TOO_BIG}",
    output_tokens=rf"{_TOO_BIG} {_WORDS}(?:max(?:imum)?|limit) {_WORDS}(?:output|completion) tokens",
)

NAMES_THE_INPUT = re.compile(
    r"\bprompt|\binputs?`? tokens?|\binput_tokens|\binput (?:length|size|and|plus|\()|\bmessages\b|text input|inputs`? \+"
)
"""A refusal that names the input as well speaks of the sum, which is an overflow and not a cap on the output."""

BYTE_LIMIT = _rows(
    unit=r"\d ?(?:bytes|kilobytes|megabytes|[kmg]i?b)\b|\b(?:bytes|megabytes|kilobytes)\b.{0,60}(?:exceed|limit|max|too|>)"
    r"|(?:exceed|limit|max|too many).{0,60}\b(?:bytes|megabytes|kilobytes)\b",
    body=r"\b(?:payload|body|entity|upload\w*|attachment|file)(?: size| content)? (?:is |was |limit )?(?:too (?:large|big)|larger than|exceed)",
    file_size=r"(?:max\w*|limit)\S* (?:\S+ )?(?:file|image|upload|attachment) size",
    body_size=r"\b(?:payload|body|upload\w*|request)[ _](?:size|content length)\b|request exceeds the max(?:imum)? (?:allowed )?size",
    request=r"request[ _](?:entity[ _])?(?:is )?too[ _]large|payload[ _]too[ _]large|content[ _]too[ _]large",
)

MEASURED_IN_TOKENS = re.compile(r"\d[\d,]* tokens?\b|\btokens_limit")
"""A size in tokens is not one in bytes, whatever noun goes with it."""

MALFORMED_HISTORY = _rows(
    anthropic_pairs=r"tool_use` ids|tool_result` block|tool_use_id|`tool_use`|`tool_result`|tool_use ids",
    openai_pairs=r"must be followed by tool messages|must be a response to a preceee?ding message|tool_call_ids? did not have"
    r"|no tool (?:call|output) found|tool_call_id|preceding message with 'tool_calls'",
    gemini_pairs=r"function (?:call|response) (?:turn|parts?)|number of function (?:response|call)|thought[ _]?signature",
    bedrock_pairs=r"conversation blocks and tool result blocks|toolresult blocks|tooluse blocks|toolconfig field must be defined",
    roles=r"roles? must alternate|must alternate|conversation roles|(?:unexpected|invalid|unknown) role|incorrect role"
    r"|expected last role|(?:after|before) (?:the )?(?:optional )?system message|role '?\w+'? (?:is not allowed|must)",
    order=r"(?:must|should) (?:start|begin|end) with (?:a |an |the )?(?:user|assistant|system)|system message must be"
    r"|last message must|first message must|no user query found|do not contain elements with the role of user"
    r"|does not support assistant message prefill|message order",
    empty=r"(?:text|content|contents?|parts|block)\S*(?: \S+){0,4} (?:must be|must have|must contain|cannot be|should be|should not be|is) "
    r"(?:non-?empty|empty|non-?whitespace|not empty|blank)|must not be empty|(?:non-empty|must have non-empty) content|contents? (?:is|are) (?:not specified|required)"
    r"|at least one message is required|end with trailing whitespace",
    thinking=r"(?:thinking|redacted_thinking|reasoning)\S* (?:\S+ ){0,8}?(?:must be passed back|cannot be modified|must start with|signature)"
    r"|must start with a thinking block|invalid `?signature`?|encrypted_content",
)

NOT_FOUND = _rows(
    code=r"model[ _]?not[ _]?(?:found|exist)|deploymentnotfound|model_not_available",
    words=r"\bmodel\b.{0,90}?(?:not found|does not exist|doesn't exist|not exist|no longer (?:available|supported)|is not a valid model)"
    r"|(?:unknown|no such|invalid|nonexistent) model\b|model identifier is invalid|not a valid model|try pulling it first|模型不存在",
)

TIMEOUT = _rows(words=r"timed? ?-?out|timeout|deadline[ _]?exceeded")

TRANSPORT = _rows(
    words=r"connection (?:error|reset|refused|closed|aborted|lost)|cannot connect|connect call failed|econn|peer closed"
    r"|incomplete (?:chunked )?read|server disconnected|unexpected eof|name or service not known|name resolution|getaddrinfo"
    r"|certificate|\bssl\b|\btls\b|broken pipe|network is unreachable",
)

SERVER = _rows(
    words=r"overloaded|internal[ _](?:server[ _])?error|server[ _]error|service[ _]?unavailable|temporarily unavailable|bad gateway"
    r"|api_error|try again later|at capacity|server is busy|upstream error",
)

STATUS_OF_NAME = {
    **dict.fromkeys(("authentication_error", "invalid_api_key", "unauthenticated", "authenticationerror"), 401),
    **dict.fromkeys(("permission_error", "permission_denied", "accessdeniedexception", "permissiondeniederror"), 403),
    **dict.fromkeys(("not_found_error", "not_found", "notfounderror", "model_not_found"), 404),
    **dict.fromkeys(("timeout_error", "deadline_exceeded", "modeltimeoutexception"), 408),
    "request_too_large": 413,
    **dict.fromkeys(("rate_limit_error", "rate_limit_exceeded", "throttlingexception", "resource_exhausted"), 429),
    **dict.fromkeys(
        ("invalid_request_error", "invalid_argument", "bad_request", "badrequesterror", "validationexception"), 400
    ),
    **dict.fromkeys(
        ("api_error", "server_error", "internal_error", "internal_server_error", "internalserverexception"), 500
    ),
    **dict.fromkeys(("overloaded_error", "unavailable", "service_unavailable", "serviceunavailableexception"), 503),
}
"""The HTTP status that a type or a code stands for, for errors inside a stream, which carry none."""

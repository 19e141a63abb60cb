"""The practice model: a simulator made for teaching, not a language model.

`server.practice_server()` starts it. What happens to a call, in order:

| module | concern |
|---|---|
| `server` | sockets, threads, the server's life; `misbehave`, `mix` and the log |
| `http_wire` | the little of HTTP/1.1 that is needed |
| `answering` | routes, and everything between a request that is read and an answer that is written |
| `anthropic_wire`, `openai_wire`, `fields` | bodies in both dialects, to a `Request` and from a `Reply` |
| `threads` | conversations that the server holds |
| `conversation`, `behaviour` | what is asked, and what the practice model says to it |
| `staging`, `asked`, `mix` | which fault goes onto which call |
| `faults`, `cypher_faults` | what a fault does to a reply |
| `shaping`, `tokens` | limits, stop sequences, ids, and estimated token counts |
| `refusals` | how each provider words a refusal |
"""

"""One module for each SDK, loaded when a run needs it. Nothing else imports an SDK.

Addresses are always given: otherwise LangChain takes them from `LANGSMITH_GATEWAY`,
`OPENAI_API_BASE` and others, and prompts would go where the run does not say. The SDKs' own
retries and time limits are off: Sanbo counts every attempt and limits the whole.

A connection for each request: a pool would belong to the event loop that filled it, outlive the
run and hand out connections that the server has closed. Next to a model's seconds, one more
handshake does not show.
"""

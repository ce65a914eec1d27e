"""Research as GraphQL, at `/graphql`: ask, follow the report as it is written, look back.

The same workbench as the REST interface, behind the same guard: `Security` tells who is calling,
`Bodies` takes JSON alone, `Conversation` speaks the caller's language. Nothing is reachable here
that REST would refuse.
"""

"""Where a collection's chunks are kept and searched; one interface, one conformance suite."""

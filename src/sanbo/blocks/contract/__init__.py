"""The contract between plans and blocks: specs, their schemas and versions, and the catalogue."""

"""How Japanese and English write numbers, amounts and dates. Pure: no files, no network."""

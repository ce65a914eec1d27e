"""Tables computed with: values compared, cast, aggregated, grouped, pivoted. Pure: no I/O."""

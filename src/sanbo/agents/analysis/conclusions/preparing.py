"""Steps that only make another table are told in a sentence: they are no findings."""

from sanbo.agents.analysis.conclusions.reading import short
from sanbo.agents.analysis.decision import ResultView
from sanbo.agents.analysis.spec.operations import Cast, Dedup, Derive, Impute
from sanbo.kernel.messages import tell


def prepared(result: ResultView) -> list[str]:
    match result.spec:
        case Derive() as spec:
            return [tell("analysis_conclusion.prepared.derive", column=short(spec.name))]
        case Cast() as spec:
            return [tell(f"analysis_conclusion.prepared.cast_{spec.to}", column=short(spec.column))]
        case Impute() as spec:
            columns = tell("analysis_conclusion.comma").join(short(name) for name in spec.columns)
            return [tell(f"analysis_conclusion.prepared.impute_{spec.method}", columns=columns)]
        case Dedup():
            rows = f"{result.tables[0].row_count:,}" if result.tables else ""
            kind = "dedup_rows" if rows else "dedup"
            return [tell(f"analysis_conclusion.prepared.{kind}", rows=rows)]
        case _:
            return []

"""Operations of their own: distributions, tests, correlation, outliers."""

from sanbo.agents.analysis.building.charts import MOST_BARS, Charts
from sanbo.agents.analysis.building.steps import require

_SUMMARY = ("count", "mean", "std", "min", "median", "max")


class Methods(Charts):
    def _special(self, op: str) -> None:
        frame = self.frame
        known = self.scene.columns
        numbers = [one for one in frame.columns if one in known and known[one].is_measure]
        words = [name for name in frame.columns if name not in numbers] + self._names
        word = words[0] if words else None
        match op:
            case "overview":
                self.add(op="dataset_overview")
            case "duplicates":
                self.add(op="duplicate_check", columns=frame.columns)
            case "missingness":
                self.add(op="missingness", columns=frame.columns)
            case "summary" if words and numbers:
                metrics = dict.fromkeys(numbers, _SUMMARY)
                self.add(op="groupby_agg", group_cols=words, metrics=metrics)
            case "summary":
                self.add(op="column_summary", columns=frame.columns)
            case "distribution" | "normality":
                self._distribution(op, numbers, words)
            case "outliers":
                require(len(numbers) == 1)
                self.add(op="outliers", column=numbers[0], method=frame.method, by=word)
            case "correlation":
                require(len(numbers) != 1, numbers or not words)
                pairs = {"columns": numbers, "only_named": len(numbers) > 1 or None}
                self.beside(op="correlation_matrix", method=frame.method, by=word, **pairs)
                if len(numbers) == 2:
                    self.add(kind="scatter", x=numbers[0], y=numbers[1], color=word)
            case "test":
                require(len(numbers) == 1, len(words) == 1)
                self.add(
                    op="compare_groups", value_col=numbers[0], group_col=words[0], test=frame.method
                )
            case "normalize":
                require(numbers)
                self.add(op="normalize", columns=numbers, method=frame.method)
            case _:
                require(op == "cohort", self.scene.dates, words)
                self.add(op="cohort", id_col=word, date_col=self.scene.dates[0], as_share=True)

    def _distribution(self, op: str, numbers: list[str], words: list[str]) -> None:
        """Of numbers where they lie, drawn too; of words how many there are of each."""
        if not numbers:
            require(words)
            self.beside(op="groupby_agg", group_cols=words, metrics={})
            if len(words) < 3 and all(map(self._is_drawn, words)):
                self.add(kind="bar", x=words[0], color=words[1] if len(words) > 1 else None)
            return
        test = "shapiro" if op == "normality" else None
        self.beside(op="distribution", normality=test, columns=numbers, by=words)
        if len(numbers) == 1 and op == "distribution" and len(words) < 2:
            self.add(kind="hist", x=numbers[0], color=words[0] if words else None)

    def _is_drawn(self, name: str) -> bool:
        column = self.scene.profile.column(name)
        return column is not None and 1 < column.distinct <= MOST_BARS

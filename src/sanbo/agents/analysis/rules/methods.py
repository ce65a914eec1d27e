"""Operations of their own: distributions, tests, correlation, outliers."""

from sanbo.agents.analysis.rules.steps import (
    Steps,
    require,
)
from sanbo.agents.analysis.spec.filters import Among

_SUMMARY = ("count", "mean", "std", "min", "median", "max")


class Methods(Steps):
    def _special(self, op: str) -> None:  # noqa: PLR0912 - one after the other
        frame = self.frame
        known = self.scene.columns
        numbers = [one for one in frame.columns if one in known and known[one].is_measure]
        words = [name for name in frame.columns if name not in numbers] + self._names
        word = words[0] if words else None
        method = frame.options.get("method")
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
                threshold = frame.options.get("threshold")
                fields = {"method": method, "by": word, "threshold": threshold}
                self.add(op="outliers", column=numbers[0], **fields)
            case "correlation":
                require(len(numbers) != 1, numbers or not words)
                if word is not None and word not in frame.options.get("marked", ()):
                    self._chooser.cost += 0.5
                pairs = {"columns": numbers, "only_named": len(numbers) > 1 or None}
                also = frame.options.get("also_method")
                self.beside(op="correlation_matrix", method=method, by=word, **pairs)
                if also is not None:
                    self.beside(op="correlation_matrix", method=also, **pairs)
                if len(numbers) == 2:
                    is_apart = frame.options.get("is_apart") and frame.facet is None
                    marks = {"color": frame.colour, "facet": word}
                    if not is_apart:
                        marks = {"color": word or frame.colour, "facet": frame.facet}
                    self.add(kind="scatter", x=numbers[0], y=numbers[1], **marks)
            case "test":
                self._test(numbers, words)
            case "normalize":
                require(numbers)
                self.add(op="normalize", columns=numbers, method=method)
            case _:
                require(op == "cohort", self.scene.dates, words)
                self.add(op="cohort", id_col=word, date_col=self.scene.dates[0], as_share=True)

    def _distribution(self, op: str, numbers: list[str], words: list[str]) -> None:
        chart, steps = self.frame.chart, self.frame.options.get("steps", {})
        number, word = next(iter(numbers), None), next(iter(words), None)
        axes = {"y": number, "x": word} if chart == "box" else {"x": number, "color": word}
        if not numbers:
            require(words)
            self.add(op="groupby_agg", group_cols=words, metrics={})
        elif chart is not None:
            kind = "hist" if chart in ("any", "bar") else chart
            self.add(kind=kind, **axes, **(steps if kind == "hist" else {}))
        else:
            test = "shapiro" if op == "normality" else None
            columns = {"columns": numbers, "by": words}
            self.beside(op="distribution", normality=test, **columns)
            if len(numbers) == 1 and op == "distribution" and len(words) < 2:
                self.add(kind="hist", **axes, **steps)

    def _test(self, numbers: list[str], words: list[str]) -> None:
        test, compared = self.frame.options.get("test"), self.frame.options.get("compared")
        groups = None
        if compared:
            words = [compared]
            taken = self._taken(compared)
            groups = next((one.value for one in taken if isinstance(one, Among)), None)
        if test == "chi2" or (not numbers and len(words) == 2):
            require(len(words) == 2)
            self.add(op="compare_groups", value_col=words[0], group_col=words[1], test="chi2")
            return
        require(len(numbers) == 1, len(words) == 1)
        fields = {"value_col": numbers[0], "group_col": words[0], "groups": groups}
        self.add(op="compare_groups", test=test, **fields)

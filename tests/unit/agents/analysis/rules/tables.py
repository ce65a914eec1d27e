"""Tables as questions are asked about them, and a conversation in which every step succeeds."""

from dataclasses import dataclass

from sanbo.agents.analysis.decision import Decision, ResultView, Turn, View
from sanbo.agents.analysis.profile import ColumnProfile, DatasetProfile, TableProfile
from sanbo.agents.analysis.rules import decide
from sanbo.agents.analysis.spec.operations import AnalysisSpec
from sanbo.agents.analysis.spec.plots import PlotSpec
from sanbo.kernel.messages import Language


def words(name: str, *values: str, distinct: int | None = None) -> ColumnProfile:
    count = len(values) if distinct is None else distinct
    return ColumnProfile(name=name, type="text", values=values, distinct=count)


def number(
    name: str, low: float = 0, high: float = 1000, unit: str = "", distinct: int = 500
) -> ColumnProfile:
    return ColumnProfile(
        name=name, type="integer", minimum=low, maximum=high, unit=unit, distinct=distinct
    )


def day(name: str, first: str = "2023-04-01", last: str = "2025-03-31") -> ColumnProfile:
    return ColumnProfile(name=name, type="date", minimum=first, maximum=last, distinct=700)


def table(*columns: ColumnProfile, rows: int = 1000) -> DatasetProfile:
    names = "|".join(column.name for column in columns)
    return DatasetProfile(
        rows=rows, columns=columns, dataset_id=names, name="t.csv", sha256="0" * 64, size=1
    )


SALES = table(
    day("日付", "2025-01-01", "2025-12-31"),
    words("店舗", "新宿店", "渋谷店", "横浜店", "大阪店"),
    words("カテゴリ", "家電", "食品", "日用品", "衣料品"),
    number("売上", 1000, 9_000_000, "円"),
)
SHOP = table(
    day("日付"),
    words("店舗名", "新宿店", "渋谷店", "梅田店"),
    words("地域", "関東", "関西"),
    words("商品コード", "00150", "02044", distinct=80),
    number("売上金額", 100, 500_000, "円"),
    number("売上数量", 1, 40),
    number("原価", 80, 300_000, "円"),
)
STAFF = table(
    words("社員番号", "001001", distinct=200),
    words("氏名", "田中 直樹", "松本 健一", distinct=190),
    words("部署", "営業部", "開発部", "人事部"),
    words("性別", "男性", "女性"),
    number("年齢", 22, 64, distinct=43),
    number("年収（千円）", 3000, 20000, "千円"),
    day("入社日", "1990-04-01", "2025-04-01"),
    rows=200,
)
ORDERS = table(
    words("Order ID", "A-1", distinct=1000),
    day("Order Date"),
    words("Customer ID", "C1", distinct=150),
    words("Country", "Japan", "France", "Germany"),
    words("Priority", "High", "Medium", "Low"),
    number("unit_price", 1, 900),
    number("Quantity", 1, 9, distinct=9),
    words("Returned", "Yes", "No"),
)


@dataclass(frozen=True)
class Answer:
    last: Decision
    specs: tuple[AnalysisSpec | PlotSpec, ...]
    """Of the last turn, by r1, r2 … of the conversation."""
    assumptions: tuple[str, ...]

    @property
    def analyses(self) -> list[AnalysisSpec]:
        return [spec for spec in self.specs if spec.type == "analysis"]

    @property
    def plots(self) -> list[PlotSpec]:
        return [spec for spec in self.specs if spec.type == "plot"]


def answer(profile: DatasetProfile, *questions: str, language: Language = "ja") -> Answer:
    """Asks turn by turn; each spec is taken as done without being executed."""
    turns: list[Turn] = []
    results: list[ResultView] = []
    assumptions: tuple[str, ...] = ()
    decision = Decision(next_action="ask")
    for question in questions:
        turns.append(Turn(role="user", text=question))
        results = [one.model_copy(update={"is_of_this_turn": False}) for one in results]
        for acts in range(9):
            decision = decide(
                View(
                    language=language,
                    turns=tuple(turns),
                    dataset=profile,
                    results=tuple(results),
                    acts_left=8 - acts,
                    next_result_id=f"r{len(results) + 1}",
                )
            )
            if decision.next_action != "act":
                break
            assumptions = decision.assumptions
            for spec in (decision.analysis_spec, decision.plot_spec):
                if spec is not None:
                    results.append(_done(f"r{len(results) + 1}", spec))
        turns.append(Turn(role="assistant", text="…"))
    specs = tuple(one.spec for one in results if one.is_of_this_turn)
    return Answer(decision, specs, assumptions)


def _done(result_id: str, spec: AnalysisSpec | PlotSpec) -> ResultView:
    return ResultView(
        result_id=result_id,
        spec=spec,
        tables=(),
        profile=TableProfile(rows=1, columns=()),
        is_of_this_turn=True,
    )

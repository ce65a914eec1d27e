"""Tables whose questions need more than the words that rules know."""

from sanbo.agents.analysis.profile import ColumnProfile
from tests.unit.agents.analysis.profiles import day, number, table, with_gaps, words

CLINIC = table(
    ColumnProfile(name="予約番号", type="text", distinct=120, is_identifier=True),
    day("予約日"),
    words("診療科", "内科", "小児科", "皮膚科"),
    words("担当医", "佐藤医師", "田中医師", "鈴木医師", "高橋医師"),
    words("来院状況", "来院", "キャンセル", "無断キャンセル"),
    with_gaps(number("待ち時間（分）", 0, 120, "分")),
    rows=120,
)
CLAIMS = table(
    ColumnProfile(name="Claim No", type="text", distinct=150, is_identifier=True),
    words("Status", "Paid", "Rejected", "Open"),
    words("Region", "North", "South", "East"),
    day("Reported Date"),
    number("Claimed", 50, 20_000),
    with_gaps(number("Paid Out", 0, 18_000)),
    rows=150,
)

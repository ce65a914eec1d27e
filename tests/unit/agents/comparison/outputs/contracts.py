"""A contract for services and its amendment, in Japanese and in English: every kind occurs."""

from sanbo.agents.comparison.model import ComparedPair, ComparisonResult
from sanbo.kernel.messages import Language
from tests.unit.agents.comparison.outputs.written_changes import (
    Written,
    changes_of,
    document,
    result_of,
)

JAPANESE = [
    Written("unchanged", "業務委託契約書", headings=("業務委託契約書",)),
    Written(
        "unchanged",
        "株式会社あおば商事（以下「甲」という。）と合同会社みどり企画（以下「乙」という。）は、"
        "次のとおり業務委託契約を締結する。",
    ),
    Written("unchanged", "（目的）"),
    Written(
        "unchanged",
        "第１条　甲は、第２条に定める業務を乙に委託し、乙はこれを受託する。",
        "第１条",
        "第１条",
    ),
    Written("unchanged", "（委託業務）"),
    Written(
        "changed",
        "第２条　委託業務は、甲の販売資料の制作[[|、ウェブサイトの更新]]及び"
        "これに付随する業務とする。",
        "第２条",
        "第２条",
        explanation="委託業務に「ウェブサイトの更新」が加わりました。",
    ),
    Written(
        "unchanged",
        "２　乙は、善良な管理者の注意をもって委託業務を遂行する。",
        "第２条第２項",
        "第２条第２項",
    ),
    Written(
        "added",
        "３　乙は、委託業務の進捗を毎月末日までに書面で甲に報告しなければならない。",
        "",
        "第２条第３項",
        flags=("deadline", "obligation"),
        details=(("deadline", "", "毎月末日まで"), ("obligation", "", "しなければならない")),
        explanation="月次報告の義務が新たに設けられました。",
    ),
    Written("unchanged", "（委託料）"),
    Written(
        "changed",
        "第３条　甲は、委託料として月額[[金50万円|金60万円]]（消費税別）を、"
        "[[翌月末日|翌々月10日]]までに乙の指定する口座に振り込む。",
        "第３条",
        "第３条",
        flags=("amount", "deadline"),
        details=(
            ("amount", "金50万円", "金60万円"),
            ("deadline", "翌月末日まで", "翌々月10日まで"),
        ),
        explanation="委託料の月額が金50万円から金60万円に、支払期限が翌月末日から翌々月10日に"
        "変わりました。",
    ),
    Written("unchanged", "２　振込手数料は、甲の負担とする。", "第３条第２項", "第３条第２項"),
    Written("added", "（費用負担）"),
    Written(
        "added",
        "第４条　委託業務に要する交通費及び通信費は、乙の負担とする。ただし、甲が事前に書面で"
        "承諾したものはこの限りでない。",
        "",
        "第４条",
        flags=("negation",),
        details=(("negation", "", "この限りでない"),),
        explanation="費用負担の条が新たに設けられました。",
    ),
    Written("unchanged", "（再委託）"),
    Written(
        "changed",
        "第[[４|５]]条　乙は、甲の書面による承諾を得た場合[[に限り|を除き]]、委託業務を第三者に"
        "再委託[[することができる|してはならない]]。",
        "第４条",
        "第５条",
        flags=("negation", "obligation"),
        details=(
            ("negation", "", "してはならない"),
            ("obligation", "することができる", "してはならない"),
        ),
        explanation="再委託が「できる」から「してはならない」に改められました。",
        confidence=0.94,
    ),
    Written("unchanged", "（秘密保持）"),
    Written(
        "renumbered",
        "第[[５|６]]条　甲及び乙は、本契約により知り得た相手方の秘密を第三者に漏らしてはならない。",
        "第５条",
        "第６条",
        explanation="条番号のみが変わりました。",
    ),
    Written(
        "unchanged",
        "２　前項の義務は、本契約の終了後も３年間存続する。",
        "第５条第２項",
        "第６条第２項",
    ),
    Written("unchanged", "（契約期間）"),
    Written(
        "changed",
        "第[[６|７]]条　本契約の有効期間は、[[令和６年４月１日|令和７年４月１日]]から"
        "１年間とする。",
        "第６条",
        "第７条",
        flags=("date",),
        details=(("date", "令和６年４月１日", "令和７年４月１日"),),
        explanation="契約期間の始まりが令和７年４月１日になりました。",
    ),
    Written("unchanged", "（損害賠償）"),
    Written(
        "split",
        "第[[７|８]]条　甲又は乙は、本契約に違反して相手方に損害を与えたときは、その損害を"
        "賠償する。"
        "[[賠償|\n２　前項の賠償]]の額は、委託料の６か月分を上限とする。",
        "第７条",
        "第８条/第８条第２項",
        explanation="１つの項が２つの項に分けられました。",
        confidence=0.88,
    ),
    Written("unchanged", "（解除）"),
    Written(
        "merged",
        "第[[８|９]]条　甲又は乙は、相手方が本契約に違反したとき[[は、本契約を解除"
        "することができる。\n"
        "２　甲又は乙は、相手方について|又は相手方について]]破産手続の申立てがあったときは、"
        "本契約を解除することができる。",
        "第８条/第８条第２項",
        "第９条",
        flags=("doubtful",),
        explanation="２つの項が１つにまとめられました。対応が確実ではありません。",
        confidence=0.55,
    ),
    Written(
        "deleted",
        "（競業の禁止）",
    ),
    Written(
        "deleted",
        "第９条　乙は、本契約の期間中、甲と競合する事業者から同種の業務を受託してはならない。",
        "第９条",
        "",
        flags=("negation",),
        details=(("negation", "してはならない", ""),),
        explanation="競業を禁じる条が削除されました。",
    ),
    Written(
        "renumbered",
        "第10条　委託料の支払については、第[[４|５]]条の規定を準用する。",
        "第10条",
        "第10条",
        flags=("reference",),
        details=(("reference", "第４条", "第５条"),),
        explanation="参照する条が、もとの条の移った先と一致していません。",
        confidence=0.9,
    ),
    Written("unchanged", "（協議）"),
    Written(
        "moved",
        "第[[13|11]]条　本契約に定めのない事項は、甲乙協議の上定める。",
        "第13条",
        "第11条",
        old_rank=29.5,
    ),
    Written("unchanged", "（通知）"),
    Written(
        "changed",
        "第[[11|12]]条　本契約に関する通知は、[[ＦＡＸ|FAX]]又は書面により行う。",
        "第11条",
        "第12条",
        flags=("notation",),
        details=(("notation", "ＦＡＸ", "FAX"),),
        explanation="表記だけが変わりました。",
    ),
    Written("unchanged", "（管轄裁判所）"),
    Written(
        "moved_changed",
        "第[[３|13]]条[[の２|]]　本契約に関する紛争は、[[東京|大阪]]地方裁判所を第一審の専属的"
        "合意管轄裁判所とする。",
        "第３条の２",
        "第13条",
        explanation="管轄裁判所が東京から大阪に変わり、第13条に移りました。",
        confidence=0.81,
        old_rank=10.5,
    ),
    Written("unchanged", "（反社会的勢力の排除）"),
    Written(
        "unchanged",
        "第14条　甲及び乙は、反社会的勢力に該当しないことを相互に表明し、保証する。",
        "第14条",
        "第14条",
    ),
    Written("unchanged", "（準拠法）"),
    Written("unchanged", "第15条　本契約は、日本法に準拠する。", "第15条", "第15条"),
]

ENGLISH = [
    Written("unchanged", "Services Agreement", headings=("Services Agreement",)),
    Written(
        "unchanged",
        "This agreement is made between Aoba Trading (the “Client”) and Midori Planning "
        "(the “Contractor”).",
    ),
    Written(
        "unchanged",
        "1. Purpose. The Client engages the Contractor to perform the services in Section 2.",
        "1",
        "1",
    ),
    Written(
        "changed",
        "2. Services. The Contractor shall prepare sales materials[[| and keep the website up to "
        "date]].",
        "2",
        "2",
        explanation="Keeping the website up to date was added to the services.",
    ),
    Written(
        "changed",
        "3. Fee. The Client shall pay a monthly fee of [[USD 5,000|USD 6,000]] within "
        "[[30 days|45 days]] of the invoice.",
        "3",
        "3",
        flags=("amount", "deadline"),
        details=(
            ("amount", "USD 5,000", "USD 6,000"),
            ("deadline", "within 30 days", "within 45 days"),
        ),
        explanation="The fee rises from USD 5,000 to USD 6,000; it is due after 45 days.",
    ),
    Written(
        "added",
        "4. Expenses. Travel expenses shall not be reimbursed unless approved in writing.",
        "",
        "4",
        flags=("negation",),
        details=(("negation", "", "shall not"),),
        explanation="A new section on expenses.",
    ),
    Written(
        "changed",
        "[[4|5]]. Subcontracting. The Contractor [[may|shall not]] subcontract the services "
        "[[with|without]] the Client's written consent.",
        "4",
        "5",
        flags=("negation", "obligation"),
        details=(("negation", "", "shall not"), ("obligation", "may", "shall not")),
        explanation="What was allowed with consent is now forbidden without it.",
        confidence=0.93,
    ),
    Written(
        "renumbered",
        "[[5|6]]. Confidentiality. Each party shall keep the other's secrets.",
        "5",
        "6",
        explanation="Only the number changed.",
    ),
    Written(
        "split",
        "[[6|7]]. Liability. A party that breaches this agreement shall compensate the other. "
        "[[Compensation|\n7.2 Compensation]] is limited to six months' fees.",
        "6",
        "7/7.2",
        explanation="One paragraph became two.",
        confidence=0.86,
    ),
    Written(
        "merged",
        "[[7|8]]. Termination. A party may terminate upon breach[[.\n7.2 A party may terminate "
        "upon| or]] insolvency of the other.",
        "7/7.2",
        "8",
        flags=("doubtful",),
        explanation="Two paragraphs became one; this is not certain.",
        confidence=0.5,
    ),
    Written(
        "deleted",
        "8. Non-competition. The Contractor shall not serve a competitor of the Client.",
        "8",
        "",
        flags=("negation",),
        details=(("negation", "shall not", ""),),
        explanation="The section was deleted.",
    ),
    Written(
        "moved",
        "[[12|9]]. Consultation. The parties shall discuss in good faith what is not provided for.",
        "12",
        "9",
        old_rank=14.5,
    ),
    Written("unchanged", "10. Notices. Notices shall be in writing.", "10", "10"),
    Written(
        "moved_changed",
        "[[3A|11]]. Courts. The courts of [[Tokyo|Osaka]] have jurisdiction.",
        "3A",
        "11",
        explanation="Tokyo became Osaka, and the section moved.",
        old_rank=4.5,
    ),
    Written("unchanged", "13. Governing law. The laws of Japan apply.", "13", "13"),
]

PAIRS: dict[Language, ComparedPair] = {
    "ja": ComparedPair(
        old=document("業務委託契約書_2024年版.docx"),
        new=document("業務委託契約書_2025年版.pdf"),
        similarity=0.87,
        outcome="related",
    ),
    "en": ComparedPair(
        old=document("services-2024.docx"),
        new=document("services-2025.pdf"),
        similarity=0.87,
        outcome="related",
    ),
}


def contract(language: Language) -> ComparisonResult:
    rows = JAPANESE if language == "ja" else ENGLISH
    return result_of(changes_of(rows), [PAIRS[language]], language)

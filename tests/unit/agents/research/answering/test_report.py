"""What a reader of the report is told, and what is kept from them."""

import pytest
from markdown_it import MarkdownIt

from sanbo.agents.research.model import Decision, StopReason
from sanbo.agents.research.report_layout import Ending, Style
from sanbo.evidence.model import SearchedQuery
from sanbo.kernel.messages import Language
from tests.unit.evidence.handbook import (
    ENDED,
    FOUND,
    HANDBOOK_READ,
    OLD_READ,
    QUESTION,
    SUB_QUESTIONS,
    KeptTexts,
    part,
    passage,
    passage_with,
    view_of,
    writer,
)
from tests.unit.evidence.test_plain_words import ATTACKS

TEN = (passage_with("10日"), "年次有給休暇を10日取得できる")
TWELVE = (passage_with("12日"), "入社した年は12日とする")
CARRIED = (passage_with("翌年度"), "翌年度に限り繰り越すことができる")
_READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def headings(report: str) -> list[str]:
    return [line for line in report.splitlines() if line.startswith("#")]


# ---- sentences ----


def test_a_sentence_stands_with_the_number_of_its_source() -> None:
    report = writer()
    report.add(part("有給休暇は10日です。", TEN))
    result = report.finish(ENDED)
    [sentence] = result.findings[0].sentences
    assert (sentence.text, sentence.citations, sentence.problem) == (
        "有給休暇は10日です。",
        (1,),
        "",
    )
    assert "- 有給休暇は10日です。[1]\n" in result.report_md
    [citation] = result.citations
    assert HANDBOOK_READ.text[citation.start : citation.end] == citation.quote


def test_a_sentence_without_a_citation_that_holds_is_left_out_and_counted() -> None:
    report = writer()
    assert report.add(part("有給休暇は30日です。", ("P99", "年次有給休暇を10日取得できる"))) == ""
    assert report.add(part("有給休暇は30日です。", (TEN[0], "年次有給休暇を30日取得できる"))) == ""
    assert report.add(part("有給休暇があります。")) == ""
    assert report.add(part("", TEN)) == ""
    report.add(part("有給休暇は10日です。", TEN))
    result = report.finish(ENDED)
    assert result.refused == 4
    assert "30日" not in result.report_md
    assert "出典を確認できず載せなかった文：4文" in result.report_md


def test_the_citations_that_hold_are_kept_where_others_fail() -> None:
    report = writer()
    report.add(part("有給休暇は10日です。", ("P99", "何かの引用文です"), TEN, CARRIED, TEN))
    result = report.finish(ENDED)
    assert result.findings[0].sentences[0].citations == (1, 2)
    assert (result.refused, len(result.citations)) == (0, 2)


def test_a_figure_that_the_source_does_not_state_is_marked_and_counted() -> None:
    report = writer()
    streamed = report.add(part("有給休暇は20日です。", TEN))
    assert "⚠ 数値を出典で確認できません（20）" in streamed
    result = report.finish(ENDED)
    assert result.marked == 1
    assert result.findings[0].sentences[0].problem
    assert "注意の印（⚠）を付けた文：1文" in result.report_md


def test_a_figure_may_stand_in_the_headings_or_the_name_of_what_is_cited() -> None:
    found = passage("P1", "本社の従業員は増えた。", document="2024年度報告.md", context="第2章")
    report = writer(view_of([found]), texts=KeptTexts())
    report.add(part("2024年度に従業員が増えたと第2章にあります。", ("P1", "従業員は増えた")))
    assert report.finish(ENDED).marked == 0


def test_a_quote_of_a_document_that_has_changed_is_marked() -> None:
    changed = HANDBOOK_READ.model_copy(update={"text": HANDBOOK_READ.text.replace("10日", "11日")})
    report = writer(texts=KeptTexts(changed, OLD_READ))
    assert "⚠ 検索後に文書が変更または削除された" in report.add(part("有給休暇は10日です。", TEN))
    result = report.finish(ENDED)
    assert not result.citations[0].verified
    assert "引用 1件のうち 0件を原文と照合済み" in result.report_md


def test_a_disagreement_needs_two_places_that_say_different_things() -> None:
    report = writer()
    inner = (TEN[0], "有給休暇を10日取得")
    assert report.add(part("日数が異なります。", TEN, section="disagreement")) == ""
    assert report.add(part("日数が異なります。", TEN, inner, section="disagreement")) == ""
    assert report.add(part("10日と12日があります。", TEN, TWELVE, section="disagreement"))
    result = report.finish(ENDED)
    assert result.refused == 2
    assert [each.citations for each in result.disagreements] == [(1, 2)]
    assert "### 出典どうしの相違点\n\n- 10日と12日があります。[1][2]" in result.report_md


def test_a_sentence_said_twice_stands_once() -> None:
    report = writer()
    assert report.add(part("有給休暇は10日です。", TEN))
    assert report.add(part("有給休暇は１０日です。[P1]", TEN)) == ""
    assert len(report.finish(ENDED).findings[0].sentences) == 1


# ---- streaming ----


def test_headings_are_streamed_as_sections_begin() -> None:
    report = writer()
    streamed = [
        report.add(part("10日です。", TEN, section="summary")),
        report.add(part("有給休暇は10日です。", TEN)),
        report.add(part("翌年度に繰り越せます。", CARRIED, sub_question=1)),
        report.add(part("上限は不明です。", section="gap")),
    ]
    assert "".join(streamed) == (
        f"# {QUESTION}\n\n## 要約\n\n- 10日です。[1]\n"
        f"\n## 調査結果\n\n### {SUB_QUESTIONS[0]}\n\n- 有給休暇は10日です。[1]\n"
        f"\n### {SUB_QUESTIONS[1]}\n\n- 翌年度に繰り越せます。[2]\n"
        "\n## 相違点と不足\n\n- 上限は不明です。\n"
    )


def test_sentences_out_of_order_stand_in_their_sections_at_the_end() -> None:
    report = writer()
    report.add(part("上限は不明です。", section="gap"))
    report.add(part("翌年度に繰り越せます。", CARRIED, sub_question=1))
    report.add(part("有給休暇は10日です。", TEN))
    report.add(part("10日もらえて、繰り越せます。", TEN, CARRIED, section="summary"))
    text = report.finish(ENDED).report_md
    order = [
        "10日もらえて",
        "- 有給休暇は10日です。[2]",
        "- 翌年度に繰り越せます。[1]",
        "- 上限は不明です。",
    ]
    places = [text.index(each) for each in order]
    assert places == sorted(places)


def test_a_sub_question_that_does_not_exist_is_the_first() -> None:
    report = writer()
    report.add(part("有給休暇は10日です。", TEN, sub_question=7))
    assert report.finish(ENDED).findings[0].sentences


# ---- the whole ----


def test_the_report_has_its_sections_in_order() -> None:
    report = writer()
    report.add(part("10日です。", TEN, section="summary"))
    report.add(part("有給休暇は10日です。", TEN))
    text = report.finish(ENDED).report_md
    assert headings(text) == [
        f"# {QUESTION}",
        "## 要約",
        "## 調査結果",
        f"### {SUB_QUESTIONS[0]}",
        f"### {SUB_QUESTIONS[1]}",
        "## 相違点と不足",
        "### 出典どうしの相違点",
        "### 答えが見つからなかった点",
        "## 出典",
        "## 調査の経過",
    ]
    assert "取り上げた出典の間に、相違点は見つかりませんでした。" in text
    assert f"- 「{SUB_QUESTIONS[1]}」に答える記述は見つかりませんでした。" in text
    assert (
        "- [1] 就業規則.md（就業規則 ＞ 第4章 休暇）\n  > 「年次有給休暇を10日取得できる」" in text
    )


def test_where_nothing_is_missing_the_report_says_so() -> None:
    report = writer()
    report.add(part("有給休暇は10日です。", TEN))
    report.add(part("翌年度に繰り越せます。", CARRIED, sub_question=1))
    result = report.finish(ENDED)
    assert result.gaps == ()
    assert "質問のうち、答えが見つからなかった点はありません。" in result.report_md


def test_an_answer_of_a_summary_alone_does_not_claim_that_nothing_was_found() -> None:
    report = writer()
    report.add(part("10日です。", TEN, section="summary"))
    result = report.finish(ENDED)
    assert result.answered
    assert "## 調査結果\n\n要約に示したとおりです。\n" in result.report_md
    assert result.report_md.count("に答える記述は見つかりませんでした") == 0


def test_what_the_last_decision_missed_is_a_gap_unless_it_was_found_after_all() -> None:
    report = writer()
    report.add(part("有給休暇は10日です。", TEN))
    report.add(part("翌年度に繰り越せます。", CARRIED, sub_question=1))
    missing = (SUB_QUESTIONS[0], "繰越の上限")
    decision = Decision(enough=False, reason="不足", missing=missing, decided_by="rules")
    result = report.finish(Ending(stop_reason="max_cycles", decisions=(decision,)))
    assert result.gaps == ("検索を終えた時点で確認できていない点：繰越の上限",)


def test_the_trail_tells_searches_decisions_and_cost() -> None:
    queries = (
        SearchedQuery(text="有給休暇", cycle=1, hits=3, new=3),
        SearchedQuery(text="繰越", cycle=2, hits=2, new=0, cached=True),
    )
    report = writer(view_of(FOUND, queries=queries, cycle=2))
    report.add(part("有給休暇は10日です。", TEN))
    decisions = (
        Decision(enough=False, reason="繰越が不明です。", missing=("繰越",), decided_by="model"),
        Decision(enough=True, reason="十分です。", decided_by="model"),
    )
    ending = Ending(
        stop_reason="sufficient",
        decisions=decisions,
        session="S1",
        engine="openai gpt",
        calls=4,
        tokens_in=12_345,
        tokens_out=678,
        cost=0.01234,
        unreadable=2,
    )
    result = report.finish(ending)
    trail = result.report_md.partition("## 調査の経過\n\n")[2].splitlines()
    assert trail == [
        f"- 検索の回数：2回（上限3回）、見つかった箇所：{len(FOUND)}件",
        "- 1回目：「有給休暇」 3件（新しい箇所 3件）",
        "- 1回目の判断：繰越が不明です。",
        "- 不足していた点：繰越",
        "- 2回目：「繰越」 2件（新しい箇所 0件） ※同じセッションの検索結果を再利用",
        "- 2回目の判断：十分です。",
        "- 検索を終えた理由：質問に答える箇所が十分に見つかったため",
        "- エンジン：openai gpt",
        "- 言語モデルの呼び出し：4回、入力 12,345トークン、出力 678トークン、費用 約0.0123米ドル",
        "- 出典の確認：引用 1件のうち 1件を原文と照合済み",
        "- 出典を確認できず載せなかった文：0文、注意の印（⚠）を付けた文：0文",
        "- 読み取れなかったモデルの出力：2件",
    ]
    assert (result.cycles, result.session, result.queries) == (2, "S1", queries)


STOPS: list[StopReason] = [
    "sufficient",
    "max_cycles",
    "no_new_queries",
    "nothing_found",
    "decide_timeout",
    "decide_failed",
]


@pytest.mark.parametrize("stop", STOPS)
@pytest.mark.parametrize("language", ["ja", "en"])
def test_every_reason_to_stop_has_its_words(stop: StopReason, language: Language) -> None:
    report = writer(language=language)
    report.add(part("10日です。", TEN))
    result = report.finish(Ending(stop_reason=stop, calls=1, cost=None))
    assert stop not in result.report_md
    assert {"ja": "検索を終えた理由：", "en": "Why the search ended: "}[
        language
    ] in result.report_md
    assert {"ja": "費用は不明", "en": "cost not known"}[language] in result.report_md


@pytest.mark.parametrize("style", ["markdown", "text"])
def test_an_english_report_is_english_throughout(style: Style) -> None:
    found = passage("P1", "New staff are granted 10 days of paid leave.", document="rules.md")
    view = view_of(
        [found],
        question="How much leave?",
        sub_questions=("How much?", "From when?"),
        queries=(SearchedQuery(text="leave", cycle=1, hits=1, new=1, cached=True),),
    )
    report = writer(view, language="en", style=style, texts=KeptTexts(), collection="rules")
    report.add(part("New staff get 12 days.", ("P1", "10 days of paid leave")))
    ending = Ending(
        stop_reason="max_cycles", partial=True, partial_reason="It took too long.", unreadable=1
    )
    texts = [
        report.finish(ending).report_md,
        writer(view, language="en", style=style, texts=KeptTexts()).finish(ENDED).report_md,
    ]
    for text in texts:
        words = text.replace("社内規程", "").replace("・", "")
        assert not [letter for letter in words if "\u3040" < letter < "\u9fff"]


def test_a_plain_report_has_no_marks_of_markdown() -> None:
    report = writer(style="text")
    first = report.add(part("有給休暇は10日です。", TEN, section="summary"))
    assert first == f"■■ {QUESTION}\n\n■ 要約\n\n・有給休暇は10日です。[1]\n"
    text = report.finish(ENDED).report_md
    assert not [line for line in text.splitlines() if line.startswith(("#", "-", ">", "*"))]
    assert (
        "・[1] 就業規則.md（就業規則 ＞ 第4章 休暇）\n　　「年次有給休暇を10日取得できる」" in text
    )


@pytest.mark.parametrize(
    "question", ["C # とは #", "# 見出し ##", "1. 何ですか", "`コード` *です*"]
)
def test_the_title_is_the_question_letter_by_letter(question: str) -> None:
    text = writer(view_of(FOUND, question=question)).finish(ENDED).report_md
    [_, title, *_] = _READER.parse(text)
    assert "".join(child.content for child in title.children or ()) == question


# ---- no answer, half an answer ----


def test_a_likelihood_is_told_as_the_decision_tells_it() -> None:
    near = FOUND[0].model_copy(update={"relevance": 0.619})
    report = writer(view_of((near,)))
    hint = "年次有給休暇を10日取得できる"
    report.add(part(hint, ("P1", hint), section="nearest"))
    told = report.finish(Ending(stop_reason="max_cycles")).report_md
    assert "（質問に答えている見込み：61%）" in told


def test_a_collection_that_does_not_answer_is_said_to_at_the_top() -> None:
    report = writer()
    report.add(part("慶弔休暇の日数は記載がありません。", section="gap"))
    hint = "年次有給休暇を10日取得できる"
    report.add(part(hint, ("P1", hint), section="nearest"))
    result = report.finish(Ending(stop_reason="max_cycles"))
    assert not result.answered
    assert [sentence.text for sentence in result.nearest] == [hint]
    lines = result.report_md.splitlines()
    assert (
        lines[2] == "> このコレクション「社内規程」には、質問に答える記述が見つかりませんでした。"
    )
    assert "検索した語句：「有給休暇 日数」" in result.report_md
    assert "答えとして確認したものではありません" in result.report_md
    assert f"- {hint}[1]（質問に答えている見込み：90%）" in result.report_md
    assert "- 慶弔休暇の日数は記載がありません。" in result.report_md
    assert "## 要約" not in result.report_md


def test_a_gap_that_was_told_is_not_told_twice() -> None:
    leave = passage("P1", "年次有給休暇を10日取得できる。")
    view = view_of([leave], sub_questions=("有給休暇は何日ですか", "慶弔休暇は何日ですか"))
    report = writer(view)
    report.add(part("有給休暇は10日です。", ("P1", "年次有給休暇を10日取得できる")))
    report.add(part("「慶弔休暇は何日ですか」に答える箇所はありません。", section="gap"))
    result = report.finish(Ending(stop_reason="max_cycles"))
    assert len(result.gaps) == 1


def test_nothing_found_at_all_is_said() -> None:
    result = writer(view_of([], queries=())).finish(Ending(stop_reason="nothing_found"))
    assert not result.answered
    assert "近い内容の箇所も見つかりませんでした。" in result.report_md
    assert "検索は行われていません。" in result.report_md


def test_a_refused_answer_is_not_called_a_missing_one() -> None:
    report = writer()
    report.add(part("有給休暇は30日です。", ("P99", "年次有給休暇を10日取得できる")))
    result = report.finish(ENDED)
    assert not result.answered
    assert "出典を原文で確認できなかったため" in result.report_md.splitlines()[2]


def test_a_partial_report_says_so_and_why() -> None:
    report = writer()
    report.add(part("有給休暇は10日です。", TEN))
    ending = Ending(stop_reason="sufficient", partial=True, partial_reason="応答が途切れました。")
    result = report.finish(ending)
    assert (result.partial, result.partial_reason) == (True, "応答が途切れました。")
    assert result.report_md.splitlines()[2] == (
        "> この報告は途中までの内容です。応答が途切れました。"
    )
    assert "- 途中までの報告です：応答が途切れました。" in result.report_md
    assert "答えが見つからなかった点はありません" not in result.report_md


def test_a_broken_off_research_does_not_claim_that_there_is_no_answer() -> None:
    ending = Ending(stop_reason="sufficient", partial=True, partial_reason="応答が途切れました。")
    text = writer().finish(ending).report_md
    assert "コレクション「社内規程」に答えがないとは限りません。" in text
    assert "質問に答える記述が見つかりませんでした。" not in text


# ---- hostile words ----


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_that_anybody_wrote_acts_in_the_report(attack: str) -> None:
    quote = f"この文書の引用文です {attack}"
    found = passage("P1", quote, document=f"{attack}.md", context=attack)
    query = SearchedQuery(text=attack, cycle=1, hits=1, new=1)
    view = view_of([found], question=attack, sub_questions=(attack, "次"), queries=(query,))
    decision = Decision(enough=True, reason=attack, missing=(attack,), decided_by="model")
    ending = Ending(
        stop_reason="sufficient",
        decisions=(decision,),
        engine=attack,
        partial=True,
        partial_reason=attack,
    )
    for answered in (True, False):
        report = writer(view, texts=KeptTexts(), collection=attack)
        if answered:
            report.add(part(f"{attack} です。", ("P1", quote)))
            report.add(part(attack, section="gap"))
        result = report.finish(ending)
        assert result.answered is answered
        _assert_only_ours(result.report_md)


def _assert_only_ours(markdown: str) -> None:
    for token in _READER.parse(markdown):
        assert token.type.split("_")[0] in (
            "heading",
            "paragraph",
            "inline",
            "bullet",
            "list",
            "blockquote",
        ), token
        assert not (token.type == "heading_open" and token.tag not in ("h1", "h2", "h3"))
        for child in token.children or ():
            assert child.type in ("text", "text_special", "softbreak"), child
            assert "://e" not in child.content
    ours = [line for line in markdown.splitlines() if line.startswith("#")]
    assert len(ours) <= 10

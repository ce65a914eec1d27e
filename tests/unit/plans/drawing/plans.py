"""Plans to draw."""

from sanbo.plans.load import load
from sanbo.plans.model import Plan, PlanText

INVOICES = """
apiVersion: v1
id: invoices
version: 1.0.0
title: 請求書と入金の照合
graph:
  - id: collect
    title: 請求書のZIPと入金明細のCSVを受け取って、経理部の担当者が内容を確かめる
    block: ui.interactive_input
    in: { mode: collect }
  - id: parse
    title: ZIPを開く
    block: file.parse_zip_2tier
    when: { expr: "${collect.collected.zip} != null" }
    in: { zip_bytes: "${collect.collected.zip}" }
  - id: each
    title: 請求書ごとに
    type: loop
    foreach: { input: "${parse.evidence.files}", itemVar: file }
    body:
      plan:
        graph:
          - { id: read, title: 読み取る, block: ai.process_llm, in: { evidence_data: "${file}" } }
          - { id: check, title: 確かめる, block: flow.assert, in: { value: "${read.results}" } }
  - id: names
    title: 取引先名をそろえる
    type: subflow
    call: { plan_id: common/names, inputs: { rows: "${each.results}" } }
  - id: report
    title: 知らせる
    block: ui.interactive_input
    when: { left: "${names.count}", op: gt, right: 0 }
    after: [collect]
    in: { mode: confirm, message: 終わりました }
"""

NAMES = """
apiVersion: v1
id: names
version: 1.0.0
graph:
  - { id: tidy, block: transforms.coerce_values, in: { items: "${vars.rows}" } }
"""


def plan(text: str) -> Plan:
    loaded = load(PlanText(text=text))
    assert loaded.plan is not None, loaded.findings
    return loaded.plan


def titled(title: str, block: str = "flow.assert") -> Plan:
    """One node of this title."""
    made = plan("apiVersion: v1\nid: p\nversion: 1.0.0\ngraph: [{id: a, block: flow.assert}]")
    node = made.graph[0].model_copy(update={"title": {"ja": title, "en": title}, "block": block})
    return made.model_copy(update={"graph": (node,)})

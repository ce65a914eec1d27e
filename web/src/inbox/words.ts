import { inBoth } from "@/preferences/words";

export const INBOX = inBoth(
  {
    lead: "回答を待っている質問です。あなたが回答するものから、期限の近い順に並んでいます。",
    look: "内容を見る",
    none: "回答を待っている質問はありません。",
    noneHint: "確認が必要になると、ここに表示され、メニューに件数が出ます。",
    since: "質問された日時",
    open: "実行を開く",
    answer: "回答する",
    answered: (title: string) => `「${title}」に回答しました。`,
    see: "結果を見る",
    more: "もっと見る",
  },
  {
    lead: "Questions that wait for an answer: yours first, and of them what is due first.",
    look: "Look at it",
    none: "No question waits for an answer.",
    noneHint: "When something has to be decided, it appears here, and the menu shows how many there are.",
    since: "Asked",
    open: "Open the run",
    answer: "Answer",
    answered: (title) => `You have answered “${title}”.`,
    see: "See what came of it",
    more: "Show more",
  },
);

"use client";

import { useTexts } from "@/preferences/language";
import type { Research } from "./fold";

/** One sentence about where a research is, for those who listen: it changes with each step. */
export function useSpokenAloud(research: Research): string {
  const { said } = useTexts();
  const last = research.cycles.at(-1);
  switch (research.status) {
    case "succeeded":
      return said.done;
    case "failed":
      return said.failed;
    case "cancelled":
      return said.cancelled;
  }
  if (research.active === "answer") return said.writing;
  if (research.active === "retrieve") return said.searching((last?.number ?? 0) + 1);
  return last?.retrieve ? said.found(last.retrieve.passages.length) : "";
}

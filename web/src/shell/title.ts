"use client";

import { useMine } from "./waiting";

/** The browser's title: how much waits for an answer, and what the page is about. */
export function useTabTitle(title: string): string {
  const count = useMine().length;
  return `${count > 0 ? `(${count}) ` : ""}${title ? `${title} · ` : ""}Sanbo`;
}

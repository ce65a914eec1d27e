"use client";

import { useEffect } from "react";
import { useWaiting } from "./waiting";

/** The browser's title: what the page is about, and how much waits for an answer. */
export function useTitle(title: string): void {
  const count = useWaiting().length;
  useEffect(() => {
    document.title = `${count > 0 ? `(${count}) ` : ""}${title ? `${title} · ` : ""}Sanbo`;
  }, [title, count]);
}

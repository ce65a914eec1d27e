"use client";

import { useEffect, useState } from "react";
import { useWords } from "@/preferences/language";
import { PARTS } from "@/parts/words";
import { Icon } from "./Icon";

/** `text`: what is copied; a function where it is made only then. */
export function CopyButton({ text }: { text: string | (() => string) }) {
  const words = useWords(PARTS);
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(() => setDone(false), 2000);
    return () => clearTimeout(timer);
  }, [isDone]);
  const copy = async () => {
    await copyText(typeof text === "string" ? text : text());
    setDone(true);
  };
  return (
    <button type="button" className="plain" onClick={() => void copy()}>
      <Icon name={isDone ? "check" : "copy"} />
      <span aria-live="polite">{isDone ? words.copied : words.copy}</span>
    </button>
  );
}

/** Where a page did not come by HTTPS or from this machine, browsers have no clipboard for it. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

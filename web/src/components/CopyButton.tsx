"use client";

import { useEffect, useState } from "react";
import { useTexts } from "@/preferences/language";
import { Icon } from "./Icon";

const SHOWN_MS = 2500;

/** Only where the browser lets a page write to the clipboard: over HTTPS or on this machine. */
export function CopyButton({ text }: { text: string }) {
  const texts = useTexts();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  if (!text || !("clipboard" in navigator)) return null;
  return (
    <button
      type="button"
      className="button"
      onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
    >
      <Icon name={copied ? "check" : "copy"} />
      <span role="status">{copied ? texts.run.copied : texts.run.copy}</span>
    </button>
  );
}

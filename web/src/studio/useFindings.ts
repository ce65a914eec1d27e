"use client";

import { useEffect, useState } from "react";
import type { Finding } from "@/api/model";
import { validatePlan } from "@/api/plans";
import { useLanguage } from "@/preferences/language";

const PAUSE_MS = 350;

/** What the server finds in a text, asked for when nothing was typed for a moment. */
export function useFindings(text: string): { findings: readonly Finding[]; isChecking: boolean } {
  const language = useLanguage();
  const [found, setFound] = useState<{ of: string; findings: readonly Finding[] }>({ of: "", findings: [] });
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(() => {
      validatePlan(text, stop.signal).then(
        ({ findings }) => setFound({ of: text, findings }),
        () => undefined, // the next letter asks again; saving says what is wrong with the server
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text, language]);
  return { findings: found.findings, isChecking: found.of !== text };
}

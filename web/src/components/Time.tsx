"use client";

import { useSpoken } from "@/preferences/language";

/** A moment in the reader's own time zone. */
export function Time({ at, seconds = false }: { at: string; seconds?: boolean }) {
  const { language } = useSpoken();
  const moment = new Date(at);
  if (Number.isNaN(moment.getTime())) return null;
  const sameYear = moment.getFullYear() === new Date().getFullYear();
  const form = new Intl.DateTimeFormat(language, {
    ...(sameYear ? {} : { year: "numeric" }),
    month: language === "ja" ? "numeric" : "short",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
    ...(seconds ? { second: "2-digit" } : {}),
  });
  return (
    <time className="quiet" dateTime={at}>
      {form.format(moment)}
    </time>
  );
}

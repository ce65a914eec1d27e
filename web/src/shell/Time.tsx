"use client";

import { useLanguage, type Language } from "@/preferences/language";

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];

export function timeAgo(time: string, language: Language, now: number = Date.now()): string {
  const seconds = (now - Date.parse(time)) / 1000;
  if (seconds > 7 * 86_400) return new Intl.DateTimeFormat(language, { dateStyle: "medium" }).format(new Date(time));
  const format = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  for (const [unit, length] of UNITS) {
    if (seconds >= length) return format.format(-Math.floor(seconds / length), unit);
  }
  return format.format(0, "second");
}

export function Time({ of }: { of: string }) {
  const language = useLanguage();
  const whole = new Intl.DateTimeFormat(language, { dateStyle: "long", timeStyle: "short" }).format(new Date(of));
  return (
    <time dateTime={of} title={whole}>
      {timeAgo(of, language)}
    </time>
  );
}

export function duration(milliseconds: number, language: Language): string {
  const seconds = milliseconds / 1000;
  const [value, unit] = seconds < 60 ? [seconds, "second"] : [seconds / 60, "minute"];
  const maximumFractionDigits = value < 10 ? 1 : 0;
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "short", maximumFractionDigits }).format(value);
}

"use client";

import type { ReactNode } from "react";
import type { FactsPart, Json } from "@/api/model";
import { useLanguage, type Language } from "@/preferences/language";

export function FactsView({ part }: { part: FactsPart }) {
  const language = useLanguage();
  return (
    <dl className="facts">
      {part.items.map((fact) => (
        <div key={fact.label} className="fact" data-tone={fact.tone}>
          <dt>{fact.label}</dt>
          <dd>
            {written(fact.value, language)}
            {fact.note && <span className="quiet"> {fact.note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** As people write it: no brackets, no quotation marks. */
function written(value: Json, language: Language): ReactNode {
  if (typeof value === "number") return new Intl.NumberFormat(language, { maximumFractionDigits: 6 }).format(value);
  if (value === null) return "–";
  if (typeof value === "object") return spoken(value, language);
  const text = String(value);
  return /^[[{].*[\]}]$/s.test(text) ? spoken(read(text), language) : text;
}

function read(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function spoken(value: Json, language: Language): string {
  if (Array.isArray(value)) return value.length === 0 ? "–" : value.map((each: Json) => spoken(each, language)).join(language === "ja" ? "、" : ", ");
  if (value !== null && typeof value === "object") {
    return Object.entries(value as Record<string, Json>)
      .map(([name, each]) => `${name} ${spoken(each, language)}`)
      .join(language === "ja" ? "、" : ", ");
  }
  return typeof value === "number" ? new Intl.NumberFormat(language).format(value) : String(value ?? "–");
}

/** What there is to know of a run at a glance: when, how long, by whom, at what cost. */

import { isFinal, type Run } from "@/api/model";
import type { Language } from "@/preferences/language";
import { duration } from "@/shell/Time";
import type { RECORDS } from "./words";

const LOCAL = "local";

export interface Line {
  label: string;
  value: string;
}

export const personOf = (owner: string, words: (typeof RECORDS)["ja"]): string => (owner === LOCAL ? words.local : owner);

export function overviewOf(run: Run, words: (typeof RECORDS)["ja"], language: Language): Line[] {
  const number = new Intl.NumberFormat(language);
  const when = new Intl.DateTimeFormat(language, { dateStyle: "long", timeStyle: "medium" });
  const { usage, engine } = run;
  const took = Date.parse(run.updated_at) - Date.parse(run.created_at);
  const lines: Line[] = [{ label: words.started, value: when.format(new Date(run.created_at)) }];
  if (isFinal(run.status)) lines.push({ label: words.took, value: duration(took, language) });
  lines.push(
    { label: words.engine, value: engine.provider === "rules" ? words.rules : `${engine.provider} ${engine.model ?? ""}` },
    { label: words.owner, value: personOf(run.owner, words) },
  );
  if (usage.calls > 0) {
    lines.push(
      { label: words.calls, value: words.callCount(number.format(usage.calls)) },
      { label: words.tokens, value: words.tokenCount(number.format(usage.input_tokens), number.format(usage.output_tokens)) },
      { label: words.cost, value: usage.cost_usd === null ? words.unknownCost : dollars(usage.cost_usd, language) },
    );
  }
  return lines;
}

export function dollars(amount: number, language: Language): string {
  return new Intl.NumberFormat(language, { style: "currency", currency: "USD", maximumFractionDigits: 4 }).format(amount);
}

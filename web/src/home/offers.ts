/** What can be done with files, by their names. */

import type { PlaceName } from "@/shell/places";

const TABLES = new Set(["csv", "tsv", "xlsx", "xlsm", "xls", "xlsb", "ods", "parquet"]);
const DOCUMENTS = new Set([
  ...["pdf", "docx", "docm", "pptx", "pptm", "md", "markdown", "html", "htm", "txt", "text", "eml", "json", "jsonl"],
  ...["csv", "tsv", "xlsx", "xlsm", "xls", "xlsb", "ods", "zip"],
]);
const PLANS = new Set(["yaml", "yml", "zip"]);

export type Offer = Extract<PlaceName, "analysis" | "compare" | "collections" | "plans">;

const ending = (name: string): string => name.slice(name.lastIndexOf(".") + 1).toLowerCase();

export function offersFor(names: readonly string[]): Offer[] {
  const endings = names.map(ending);
  const isAll = (known: ReadonlySet<string>): boolean => endings.length > 0 && endings.every((each) => known.has(each));
  const offers: Offer[] = [];
  if (names.length === 1 && isAll(TABLES)) offers.push("analysis");
  if (names.length === 2 && isAll(DOCUMENTS)) offers.push("compare");
  if (names.length === 1 && isAll(PLANS)) offers.push("plans");
  if (isAll(DOCUMENTS)) offers.push("collections");
  return offers;
}

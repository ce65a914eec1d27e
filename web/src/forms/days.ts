/** Days as people type them: 2026-11-17, 2026/11/17, 20261117, 令和8年11月17日, R8.11.17. */

const YEAR_OF_ERA = new Intl.DateTimeFormat("ja-JP-u-ca-japanese", { era: "long", year: "numeric", timeZone: "UTC" });
const LETTER_OF_ERA = new Intl.DateTimeFormat("ja-JP-u-ca-japanese", { era: "narrow", year: "numeric", timeZone: "UTC" });
const FIRST_YEAR = 1868;
const DAY = /^(?:(\d{4})|([^\d\s.]{1,2}) ?\.?(\d{1,2}|元)) ?[-/.年] ?(\d{1,2}) ?[-/.月] ?(\d{1,2}) ?日?(?: 0?0:00(?::00)?)?$/;
const COMPACT = /^(\d{4})(\d{2})(\d{2})$/;

let eras: Map<string, number> | null = null;

/** The year before the first of each era, by its name and its letter: the browser knows them. */
function yearsBefore(): Map<string, number> {
  if (eras !== null) return eras;
  eras = new Map();
  for (let year = FIRST_YEAR; year <= new Date().getFullYear(); year += 1) {
    const end = new Date(Date.UTC(year, 11, 31));
    const count = Number(YEAR_OF_ERA.formatToParts(end).find(({ type }) => type === "year")?.value.replace("元", "1"));
    for (const form of [YEAR_OF_ERA, LETTER_OF_ERA]) {
      const era = form.formatToParts(end).find(({ type }) => type === "era")?.value.toUpperCase();
      if (era !== undefined && !eras.has(era)) eras.set(era, year - count);
    }
  }
  return eras;
}

/** As ISO writes it; null for what is no day, or none that is surely meant. */
export function readDay(typed: string): string | null {
  const plain = typed.normalize("NFKC").trim();
  const [, year, era, count, month, day] = DAY.exec(plain) ?? [];
  const [, ...compact] = COMPACT.exec(plain) ?? [];
  if (compact.length > 0) return isoOf(Number(compact[0]), Number(compact[1]), Number(compact[2]));
  if (month === undefined || day === undefined) return null;
  const before = era === undefined ? 0 : yearsBefore().get(era.toUpperCase());
  if (before === undefined) return null;
  return isoOf(before + (count === "元" ? 1 : Number(year ?? count)), Number(month), Number(day));
}

function isoOf(year: number, month: number, day: number): string | null {
  const made = new Date(Date.UTC(year, month - 1, day));
  const isReal = made.getUTCMonth() === month - 1 && made.getUTCDate() === day;
  return isReal ? made.toISOString().slice(0, 10) : null;
}

/** With its weekday, which shows a slip of the pen. */
export function inFull(iso: string, language: string): string {
  const form = new Intl.DateTimeFormat(language, { year: "numeric", month: "long", day: "numeric", weekday: "short", timeZone: "UTC" });
  return form.format(new Date(`${iso}T00:00:00Z`));
}

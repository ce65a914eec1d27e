/** Times as people say them, and as cron has them. */

export type Rhythm = "daily" | "weekly" | "monthly" | "cron";

export interface Times {
  rhythm: Rhythm;
  /** `HH:MM`. */
  time: string;
  /** 0 is Sunday. */
  weekday: number;
  day: number;
  /** As it is, where it is none of the others. */
  cron: string;
}

export const MORNING: Times = { rhythm: "daily", time: "09:00", weekday: 1, day: 1, cron: "" };

const SIMPLE = /^(\d{1,2}) (\d{1,2}) (\d{1,2}|\*) \* ([0-6]|\*)$/;

export function timesOf(cron: string): Times {
  const [, minute = "", hour = "", day = "", weekday = ""] = SIMPLE.exec(cron.trim().replace(/\s+/g, " ")) ?? [];
  const rest = { ...MORNING, cron };
  if (!minute || Number(minute) > 59 || Number(hour) > 23 || (day !== "*" && weekday !== "*")) return { ...rest, rhythm: "cron" };
  const time = `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
  if (weekday !== "*") return { ...rest, rhythm: "weekly", time, weekday: Number(weekday) };
  return day === "*" ? { ...rest, rhythm: "daily", time } : { ...rest, rhythm: "monthly", time, day: Number(day) };
}

export function cronOf({ rhythm, time, weekday, day, cron }: Times): string {
  if (rhythm === "cron") return cron.trim();
  const [hour = "9", minute = "0"] = time.split(":");
  const at = `${Number(minute)} ${Number(hour)}`;
  if (rhythm === "weekly") return `${at} * * ${weekday}`;
  return rhythm === "monthly" ? `${at} ${day} * *` : `${at} * * *`;
}

"use client";

import type { Interaction } from "@/api/model";
import { useLanguage, useWords } from "@/preferences/language";
import { isOverdue } from "@/shell/waiting";
import { FORMS } from "./words";

export const peopleOf = ({ assignees = [], roles = [] }: Pick<Interaction, "assignees" | "roles">): string => [...assignees, ...roles].join("、");

/** Who is asked, and until when. */
export function Circumstances({ interaction }: { interaction: Interaction }) {
  const words = useWords(FORMS);
  const people = peopleOf(interaction);
  return (
    <span className="circumstances">
      {people && <span>{words.asked(people)}</span>}
      {interaction.due_at && <Due at={interaction.due_at} isSoon={interaction.mark === "soon"} />}
    </span>
  );
}

export function Due({ at, isSoon = false }: { at: string; isSoon?: boolean }) {
  const words = useWords(FORMS);
  const language = useLanguage();
  const when = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(new Date(at));
  const state = isOverdue(at) ? "overdue" : isSoon ? "soon" : "due";
  return (
    <time className="due" dateTime={at} data-state={state}>
      {words[state](when)}
    </time>
  );
}

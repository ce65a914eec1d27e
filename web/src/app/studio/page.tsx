"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { listBlocks } from "@/api/plans";
import { useAnswer } from "@/api/useAnswer";
import { useWords } from "@/preferences/language";
import { useParameter } from "@/shell/address";
import { Loading, ProblemNote } from "@/shell/Notice";
import { Page } from "@/shell/Page";
import { Catalogue } from "@/studio/catalogue";
import { openCopy, openDesign } from "@/studio/draft";
import { Studio } from "@/studio/Studio";
import { STUDIO } from "@/studio/words";
import "@/styles/lists.css";
import "@/styles/studio.css";

/** A plan to be designed: a new one, a copy, a design, or a kept version of one. */
export default function StudioPage() {
  const [name, rename] = useParameter("plan");
  const [copied, forget] = useParameter("copy");
  const saved = useRef<string | null>(null);
  const [shown, setShown] = useState({ name, copied });
  useEffect(() => {
    if (name === null || name !== saved.current) setShown({ name, copied });
  }, [name, copied]);
  const onSaved = useCallback(
    (kept: string) => {
      saved.current = kept;
      forget(null, true);
      rename(kept, true);
    },
    [forget, rename],
  );
  return <Opening key={`${shown.name}|${shown.copied}`} name={shown.name} copied={shown.copied} onSaved={onSaved} />;
}

function Opening({ name, copied, onSaved }: { name: string | null; copied: string | null; onSaved: (kept: string) => void }) {
  const words = useWords(STUDIO);
  const ask = useCallback(
    async (signal: AbortSignal) => {
      const [told, opened] = await Promise.all([listBlocks(signal), copied ? openCopy(copied, signal) : openDesign(name, signal)]);
      return { catalogue: new Catalogue(told), opened };
    },
    [name, copied],
  );
  const { value, problem, again } = useAnswer(ask);
  if (value) return <Studio opened={value.opened} catalogue={value.catalogue} onSaved={onSaved} />;
  return (
    <Page title={name ?? copied ?? words.newTitle} width="full">
      {problem ? <ProblemNote problem={problem} retry={again} /> : <Loading />}
    </Page>
  );
}

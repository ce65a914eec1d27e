"use client";

import { useWords } from "@/preferences/language";
import { ProblemNote } from "@/shell/Notice";
import { Page } from "@/shell/Page";
import { SHELL } from "@/shell/words";

/** A defect of a page: said in the reader's language, with the frame still there. */
export default function PageError({ reset }: { error: Error; reset: () => void }) {
  const words = useWords(SHELL);
  return (
    <Page title={words.broken} width="text">
      <ProblemNote problem={{ message: words.brokenMessage, hint: words.brokenHint }} retry={reset} />
    </Page>
  );
}

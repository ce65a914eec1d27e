import { Suspense } from "react";
import { ResearchDesk } from "@/components/ResearchDesk";
import { TEXTS } from "@/texts";

/** The address names the run, so the page is drawn in the browser; until then, a quiet line. */
export default function Page() {
  return (
    <>
      <noscript>
        <p className="notice">{TEXTS.ja.needsScript}</p>
        <p className="notice" lang="en">
          {TEXTS.en.needsScript}
        </p>
      </noscript>
      <Suspense fallback={<p className="before-start">{TEXTS.ja.loading}</p>}>
        <ResearchDesk />
      </Suspense>
    </>
  );
}

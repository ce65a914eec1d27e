"use client";

import { useSearchParams } from "next/navigation";
import { useCallback } from "react";

const RUN = "run";

/** The run that the address names, and how to open another: back and forward work. */
export function useOpenRun(): [string | null, (runId: string | null) => void] {
  const parameters = useSearchParams();
  const open = useCallback((runId: string | null) => {
    const address = new URL(window.location.href);
    address.hash = "";
    if (runId === null) address.searchParams.delete(RUN);
    else address.searchParams.set(RUN, runId);
    window.history.pushState(null, "", address);
  }, []);
  return [parameters.get(RUN) || null, open];
}

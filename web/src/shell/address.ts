"use client";

import { useSearchParams } from "next/navigation";
import { useCallback } from "react";

/** One value of the address's query, and how to change it: back and forward work, and so does a reload. */
export function useParameter(name: string): [string | null, (value: string | null, instead?: boolean) => void] {
  const parameters = useSearchParams();
  const change = useCallback(
    (value: string | null, instead = false) => {
      const address = new URL(window.location.href);
      address.hash = "";
      if (value === null) address.searchParams.delete(name);
      else address.searchParams.set(name, value);
      // Without Next.js: the page stays the same, and nothing has to be fetched for it.
      if (instead) window.history.replaceState(null, "", address);
      else window.history.pushState(null, "", address);
    },
    [name],
  );
  return [parameters.get(name) || null, change];
}

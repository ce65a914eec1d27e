/** Small pictures of what each kind of work gives. */

import type { ReactNode } from "react";

const DRAWN: Readonly<Record<string, ReactNode>> = {
  analysis: (
    <>
      <path className="s-line" d="M14 66h132" />
      <rect className="s-soft" x="22" y="38" width="14" height="28" rx="2" />
      <rect className="s-accent" x="46" y="24" width="14" height="42" rx="2" />
      <rect className="s-soft" x="70" y="44" width="14" height="22" rx="2" />
      <rect className="s-soft" x="94" y="32" width="14" height="34" rx="2" />
      <rect className="s-accent" x="118" y="14" width="14" height="52" rx="2" />
      <path className="s-stroke" d="M29 34 53 20l24 19 24-12 24-17" />
    </>
  ),
  research: (
    <>
      <path className="s-text" d="M16 16h72" />
      <path className="s-quiet" d="M16 30h118M16 42h96M16 54h110M16 66h64" />
      <circle className="s-accent" cx="146" cy="30" r="6" />
      <circle className="s-accent" cx="124" cy="42" r="6" />
      <circle className="s-accent" cx="138" cy="54" r="6" />
    </>
  ),
  ask: (
    <>
      <path className="s-gauge" d="M30 62a30 30 0 0 1 60 0" />
      <path className="s-good" d="M30 62a30 30 0 0 1 53-19" />
      <path className="s-quiet" d="M106 34h42M106 46h30M106 58h38" />
      <path className="s-text" d="M48 60h24" />
    </>
  ),
  compare: (
    <>
      <path className="s-line" d="M80 10v60" />
      <path className="s-quiet" d="M16 20h50M16 56h44M94 20h50M94 56h40" />
      <rect className="s-deleted" x="14" y="32" width="52" height="12" rx="3" />
      <rect className="s-added" x="92" y="32" width="52" height="12" rx="3" />
    </>
  ),
  plans: (
    <>
      <path className="s-line" d="M44 40h18M98 40h18M80 26v-4M80 58v-4" />
      <rect className="s-box s-done" x="12" y="28" width="32" height="24" rx="5" />
      <rect className="s-box s-wait" x="62" y="26" width="36" height="28" rx="5" />
      <rect className="s-box" x="116" y="28" width="32" height="24" rx="5" />
      <path className="s-stroke" d="m21 40 4 4 8-9" />
      <circle className="s-caution" cx="80" cy="40" r="4" />
    </>
  ),
};

export function Sketch({ of }: { of: string }) {
  return (
    <svg className="sketch" viewBox="0 0 160 80" aria-hidden="true">
      {DRAWN[of]}
    </svg>
  );
}

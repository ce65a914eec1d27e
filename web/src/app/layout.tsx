import type { Metadata, Viewport } from "next";
import { Suspense, type ReactNode } from "react";
import { FIRST_SCRIPT } from "@/preferences/themeScript";
import { Shell } from "@/shell/Shell";
import { SHELL } from "@/shell/words";
import "@/styles/tokens.css";
import "@/styles/ground.css";
import "@/styles/shell.css";
import "@/styles/controls.css";
import "@/styles/parts.css";
import "@/styles/forms.css";
import "@/styles/pages.css";
import "@/styles/palette.css";

export const metadata: Metadata = {
  description: "Sanbo（参謀）",
  robots: { index: false, follow: false },
};

export const viewport: Viewport = {
  width: "device-width",
  initialScale: 1,
  colorScheme: "light dark",
};

/** Addresses name what is shown, so pages are drawn in the browser; the frame is there before. */
export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="ja" suppressHydrationWarning>
      <head>
        <script dangerouslySetInnerHTML={{ __html: FIRST_SCRIPT }} />
      </head>
      <body>
        <noscript>
          <p>{SHELL.ja.needsScript}</p>
          <p lang="en">{SHELL.en.needsScript}</p>
        </noscript>
        <Shell>
          <Suspense>{children}</Suspense>
        </Shell>
      </body>
    </html>
  );
}

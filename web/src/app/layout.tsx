import type { Metadata, Viewport } from "next";
import type { ReactNode } from "react";
import { THEME_SCRIPT } from "@/preferences/themeScript";
import { TEXTS } from "@/texts";
import "@/styles/foundation.css";
import "@/styles/layout.css";
import "@/styles/controls.css";
import "@/styles/research.css";
import "@/styles/report.css";
import "@/styles/panel.css";

export const metadata: Metadata = {
  title: `${TEXTS.ja.title} · ${TEXTS.ja.product}`,
  description: TEXTS.ja.description,
  robots: { index: false, follow: false },
};

export const viewport: Viewport = {
  width: "device-width",
  initialScale: 1,
  colorScheme: "light dark",
};

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="ja" suppressHydrationWarning>
      <head>
        <script dangerouslySetInnerHTML={{ __html: THEME_SCRIPT }} />
      </head>
      <body>{children}</body>
    </html>
  );
}

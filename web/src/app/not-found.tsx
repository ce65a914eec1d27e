"use client";

import Link from "next/link";
import { useWords } from "@/preferences/language";
import { Empty } from "@/shell/Notice";
import { Page } from "@/shell/Page";
import { SHELL } from "@/shell/words";

export default function NotFound() {
  const words = useWords(SHELL);
  return (
    <Page title={words.notFound} width="text">
      <Empty title={words.notFoundHint}>
        <Link className="button" href="/" prefetch={false}>
          {words.toHome}
        </Link>
      </Empty>
    </Page>
  );
}

"use client";

import type { ReactNode } from "react";
import { useTabTitle } from "./title";

interface Props {
  title: string;
  /** What the browser's title says, where the page's own heading is something else. */
  tabTitle?: string | undefined;
  lead?: ReactNode;
  actions?: ReactNode;
  /** Text is read in a narrow column; lists and comparisons take what there is. */
  width?: "text" | "wide" | "full";
  /** What is typed next stands at the foot of the screen, however much has been said. */
  isConversation?: boolean;
  children: ReactNode;
}

/** A page: its heading, what can be done with all of it, and its content. */
export function Page({ title, tabTitle, lead, actions, width = "wide", isConversation = false, children }: Props) {
  const inTab = useTabTitle(tabTitle ?? title);
  return (
    <div className="page" data-width={width} data-conversation={isConversation || undefined}>
      <title>{inTab}</title>
      <header className="page-head">
        <div>
          <h1>{title}</h1>
          {lead !== undefined && <div className="lead">{lead}</div>}
        </div>
        {actions !== undefined && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

"use client";

import { useState } from "react";
import { useWords } from "@/preferences/language";
import { SearchField } from "@/shell/SearchField";
import type { Catalogue } from "./catalogue";
import { STUDIO } from "./words";

export const BLOCK_TYPE = "application/x-sanbo-block";

/** The blocks, to be dragged into the graph, or put at its end with a click. */
export function BlockPalette({ catalogue, onAdd }: { catalogue: Catalogue; onAdd: (block: string) => void }) {
  const words = useWords(STUDIO);
  const [typed, setTyped] = useState("");
  const found = catalogue.find(typed);
  return (
    <section className="studio-palette" aria-label={words.blocks}>
      <SearchField label={words.findBlock} value={typed} onChange={setTyped} />
      <ul>
        {found.map((block) => (
          <li key={block.id}>
            {/* No <button>: browsers do not let those be dragged. */}
            <div
              role="button"
              tabIndex={0}
              draggable
              title={block.description}
              onDragStart={(event) => {
                event.dataTransfer.setData(BLOCK_TYPE, block.id);
                event.dataTransfer.effectAllowed = "copy";
              }}
              onClick={() => onAdd(block.id)}
              onKeyDown={(event) => {
                if (event.key !== "Enter" && event.key !== " ") return;
                event.preventDefault();
                onAdd(block.id);
              }}
            >
              <code>{block.id}</code>
              <span>{block.description}</span>
            </div>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="quiet">{words.noBlock}</p>}
    </section>
  );
}

"use client";

import dynamic from "next/dynamic";
import { useCallback, useState } from "react";
import type { FigurePart, JsonObject } from "@/api/model";
import { request } from "@/api/client";
import { artifactAddress, runPath } from "@/api/runs";
import { useAnswer } from "@/api/useAnswer";
import { useWords } from "@/preferences/language";
import { Icon } from "@/shell/Icon";
import { useScene } from "./context";
import { chartKinds, withKind, type ChartKind } from "./chartKinds";
import { PARTS } from "./words";

const Chart = dynamic(() => import("./Chart").then((module) => module.Chart), { ssr: false });

export function FigureView({ part }: { part: FigurePart }) {
  const { runId } = useScene();
  const words = useWords(PARTS);
  const spec = useSpec(part);
  const [kind, setKind] = useState<ChartKind>("original");
  const kinds = spec === null ? [] : chartKinds(spec);
  return (
    <figure className="figure">
      <div className="table-tools">
        {kinds.length > 1 && (
          <div className="segments" role="group" aria-label={words.chartType}>
            {kinds.map((each) => (
              <button key={each} type="button" aria-pressed={kind === each} onClick={() => setKind(each)}>
                {words.charts[each]}
              </button>
            ))}
          </div>
        )}
        <span className="spring" />
        <a className="plain" href={artifactAddress(runId, part.picture.artifact_id)} download={part.picture.name} aria-label={words.download(words.picture)}>
          <Icon name="download" />
          {words.picture}
        </a>
      </div>
      {spec === null ? <Picture part={part} /> : <Chart spec={withKind(spec, kind)} description={part.description} />}
      {part.description && <figcaption className="aloud">{part.description}</figcaption>}
    </figure>
  );
}

/** In the part itself, or what its picture is made of. */
function useSpec(part: FigurePart): JsonObject | null {
  const { runId, artifacts } = useScene();
  const made = part.picture.made_of?.find((id) =>
    artifacts.some((each) => each.artifact_id === id && each.media_type.includes("vegalite")),
  );
  const ask = useCallback(
    (signal: AbortSignal) => request<JsonObject>("GET", `${runPath(runId)}/artifacts/${made}`, { signal }),
    [runId, made],
  );
  const { value } = useAnswer(part.spec || !made ? null : ask);
  return (part.spec as JsonObject | null | undefined) ?? value;
}

function Picture({ part }: { part: FigurePart }) {
  const { runId } = useScene();
  const words = useWords(PARTS);
  const [isGone, setGone] = useState(false);
  if (isGone) return <p className="notice">{words.gone}</p>;
  return (
    <img
      className="picture"
      src={artifactAddress(runId, part.picture.artifact_id, true)}
      alt={part.description || part.title}
      onError={() => setGone(true)}
    />
  );
}

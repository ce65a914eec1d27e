"use client";

import { Handle, Position, ReactFlow, ReactFlowProvider, useReactFlow, type Edge, type Node, type NodeProps } from "@xyflow/react";
import "@xyflow/react/dist/style.css";
import { memo, useCallback, useMemo, useState } from "react";
import type { GraphNode, GraphPart } from "@/api/model";
import { useWords } from "@/preferences/language";
import { Icon } from "@/shell/Icon";
import { placed } from "./graphLayout";
import { NodePanel } from "./NodePanel";
import { PARTS } from "./words";

type Shown = Node<{ node: GraphNode; isFrame: boolean }, "step">;

/** The way of a run as a picture, coloured as it goes; a node opens what is known of it. */
export function GraphView({ part }: { part: GraphPart }) {
  return (
    <ReactFlowProvider>
      <Picture part={part} />
    </ReactFlowProvider>
  );
}

function Picture({ part }: { part: GraphPart }) {
  const words = useWords(PARTS).graph;
  const flow = useReactFlow();
  const [chosen, setChosen] = useState<string | null>(null);
  // Colours change while it runs; what stands where does not.
  const shape = JSON.stringify([part.nodes.map((node) => [node.id, node.parent]), part.edges]);
  // eslint-disable-next-line react-hooks/exhaustive-deps -- `shape` says all that matters of it
  const places = useMemo(() => placed(part), [shape]);
  const nodes = useMemo<Shown[]>(() => {
    const parents = new Set(part.nodes.map((node) => node.parent).filter(Boolean));
    return part.nodes
      .map((node): Shown | null => {
        const place = places.get(node.id);
        if (place === undefined) return null;
        const isFrame = parents.has(node.id);
        return {
          id: node.id,
          type: "step",
          position: { x: place.x, y: place.y },
          data: { node, isFrame },
          width: place.width,
          height: place.height,
          zIndex: isFrame ? -1 : 1,
          ariaLabel: words.open(node.title),
          draggable: false,
        };
      })
      .filter((node) => node !== null)
      .sort((one, other) => Number(other.data.isFrame) - Number(one.data.isFrame));
  }, [part.nodes, places, words]);
  const edges = useMemo<Edge[]>(
    () =>
      part.edges.map((edge, at) => ({
        id: `${edge.source}>${edge.target}:${at}`,
        source: edge.source,
        target: edge.target,
        ...(edge.label ? { label: edge.label } : {}),
        type: "smoothstep",
        focusable: false,
      })),
    [part.edges],
  );
  const bottom = Math.max(0, ...[...places.values()].map((place) => place.y + place.height));
  const open = useCallback((_: unknown, node: Node) => setChosen(node.id), []);
  const node = part.nodes.find((each) => each.id === chosen);
  const leading = new Set(part.edges.filter((edge) => edge.target === chosen).map((edge) => edge.source));
  const before = part.nodes.filter((each) => leading.has(each.id));
  return (
    <div className="graph">
      <div className="graph-picture" style={{ height: Math.min(620, Math.max(220, bottom + 48)) }}>
        <ReactFlow
          nodes={nodes}
          edges={edges}
          nodeTypes={TYPES}
          onNodeClick={open}
          fitView
          fitViewOptions={{ maxZoom: 1, padding: 0.08 }}
          minZoom={0.15}
          maxZoom={2}
          nodesConnectable={false}
          nodesDraggable={false}
          edgesFocusable={false}
          zoomOnScroll={false}
          preventScrolling={false}
          deleteKeyCode={null}
          proOptions={{ hideAttribution: false }}
          onSelectionChange={({ nodes: [first] }) => first && setChosen(first.id)}
        />
        <div className="graph-tools">
          <button type="button" className="plain" aria-label={words.zoomIn} onClick={() => void flow.zoomIn()}>
            <Icon name="plus" />
          </button>
          <button type="button" className="plain" aria-label={words.zoomOut} onClick={() => void flow.zoomOut()}>
            <Icon name="minus" />
          </button>
          <button type="button" className="plain" aria-label={words.fit} onClick={() => void flow.fitView({ maxZoom: 1, padding: 0.08 })}>
            <Icon name="expand" />
          </button>
        </div>
      </div>
      {node && <NodePanel node={node} before={before} onClose={() => setChosen(null)} />}
    </div>
  );
}

const StepNode = memo(function StepNode({ data: { node, isFrame } }: NodeProps<Shown>) {
  const words = useWords(PARTS);
  const status = node.change ? words.graph.changes[node.change] : words.stepStatus[node.status ?? "pending"];
  return (
    <div className={isFrame ? "graph-frame" : "graph-node"} data-status={node.status} data-change={node.change || undefined}>
      <Handle type="target" position={Position.Top} isConnectable={false} />
      <span className="graph-title">
        {!node.change && <span className="dot" data-status={node.status} />}
        <span className="graph-name">{node.title}</span>
      </span>
      <span className="graph-status">{status}</span>
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </div>
  );
});

const TYPES = { step: StepNode };

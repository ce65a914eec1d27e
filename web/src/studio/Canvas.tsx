"use client";

import {
  BaseEdge,
  EdgeLabelRenderer,
  getBezierPath,
  Handle,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  type Connection,
  type Edge,
  type EdgeChange,
  type EdgeProps,
  type Node,
  type NodeChange,
  type NodeProps,
} from "@xyflow/react";
import "@xyflow/react/dist/style.css";
import { memo, useCallback, useEffect, useMemo, useRef, useState, type DragEvent } from "react";
import type { Finding, Json, JsonObject } from "@/api/model";
import { placed, type Placed } from "@/parts/graphLayout";
import { PARTS } from "@/parts/words";
import { useLanguage, useWords, type Language } from "@/preferences/language";
import { remember, remembered } from "@/preferences/store";
import { Icon } from "@/shell/Icon";
import { BLOCK_TYPE } from "./BlockPalette";
import type { Catalogue } from "./catalogue";
import { blockId, freshId, titleOf, type PlanEdge, type PlanNode, type PlanView } from "./planText";
import type { Samples } from "./samples";
import { STUDIO } from "./words";

const WIDTH = 232;
const HEAD = 50;
const ROW = 22;
const MOST_CLOSED = 6;
const FORM_WIDTH = 320;
const HEAD_PORT = "$";
const LONGEST = 24;
const LEGIBLE = { minZoom: 0.5, maxZoom: 1, padding: 0.08 };

interface Step extends Record<string, unknown> {
  node: PlanNode;
  title: string;
  inputs: readonly { name: string; isRequired: boolean; isGiven: boolean; type: string }[];
  outputs: readonly { name: string; type: string }[];
  more: number;
  faults: readonly Finding[];
  isFrame: boolean;
}

type Shown = Node<Step, "step">;
type Flow = Edge<{ sample: string; input: string }, "flow">;

export interface CanvasActions {
  select: (key: string | null) => void;
  connect: (edge: PlanEdge) => void;
  disconnect: (edge: PlanEdge) => void;
  remove: (node: PlanNode) => void;
  /** Into the loop of this key, or the plan itself. */
  add: (block: string, into: string) => void;
  /** With others, to be put together. */
  mark: (key: string) => void;
}

interface Props extends CanvasActions {
  view: PlanView;
  catalogue: Catalogue;
  findings: readonly Finding[];
  samples: Samples | null;
  marked: readonly string[];
  chosen: string | null;
  isReadOnly: boolean;
}

/** The plan as a graph that can be changed; what is done here is asked of whoever holds the text. */
export function Canvas(props: Props) {
  return (
    <ReactFlowProvider>
      <Picture {...props} />
    </ReactFlowProvider>
  );
}

function stepOf(node: PlanNode, view: PlanView, catalogue: Catalogue, findings: readonly Finding[], language: Language, isOpen: boolean): Step {
  const block = catalogue.of(node.block);
  const read = new Set(view.edges.filter((edge) => edge.source === node.key).map((edge) => edge.output));
  const entered = new Set(view.edges.filter((edge) => edge.target === node.key).map((edge) => edge.input));
  const known = Object.entries(block?.inputs ?? {}).map(([name, port]) => ({ name, isRequired: port.required, isGiven: name in node.inputs, type: port.type }));
  const unknown = Object.keys(node.inputs).filter((name) => !block?.inputs[name]);
  const all = [...known, ...unknown.map((name) => ({ name, isRequired: false, isGiven: true, type: "" }))];
  const few = all.filter(({ name, isRequired, isGiven }) => isRequired || isGiven || entered.has(name));
  const closed = all.length <= MOST_CLOSED ? all : few;
  const given = catalogue.outputsOf(node).map(({ name, port }) => ({ name, type: port?.type ?? "" }));
  const outputs = [...given, ...[...read].filter((name) => name && !given.some((each) => each.name === name)).map((name) => ({ name, type: "" }))];
  const closedOutputs = outputs.length <= MOST_CLOSED ? outputs : outputs.filter(({ name }, at) => read.has(name) || at < MOST_CLOSED - 1);
  return {
    node,
    title: titleOf(node, language),
    inputs: isOpen ? all : closed,
    outputs: isOpen ? outputs : closedOutputs,
    more: isOpen ? 0 : all.length - closed.length + outputs.length - closedOutputs.length,
    faults: findings.filter((finding) => finding.node === node.key),
    isFrame: view.nodes.some((each) => each.parent === node.key),
  };
}

const heightOf = ({ inputs, outputs, more }: Step): number => HEAD + ROW * Math.max(inputs.length, outputs.length) + (more > 0 ? ROW : 0) + 8;

function Picture({ view, catalogue, findings, samples, marked, chosen, isReadOnly, select, connect, disconnect, remove, add, mark }: Props) {
  const words = useWords(STUDIO);
  const tools = useWords(PARTS).graph;
  const language = useLanguage();
  const flow = useReactFlow();
  const store = `sanbo.studio.${view.id}`;
  const [moved, setMoved] = useState<Readonly<Record<string, { x: number; y: number }>>>({});
  const canvas = useRef<HTMLDivElement>(null);
  const [line, setLine] = useState<string | null>(null);
  useEffect(() => setMoved(JSON.parse(remembered(store) ?? "{}") as typeof moved), [store]);

  const steps = useMemo(
    () => view.nodes.map((node) => stepOf(node, view, catalogue, findings, language, node.key === chosen)),
    [view, catalogue, findings, language, chosen],
  );
  // What stands where changes with the graph, not with every letter that is typed or step that is opened.
  const closed = useMemo(() => view.nodes.map((node) => stepOf(node, view, catalogue, [], language, false)), [view, catalogue, language]);
  const shape = JSON.stringify([closed.map((step) => [step.node.key, step.node.parent, heightOf(step)]), view.edges]);
  const places = useMemo(() => {
    const heights = new Map(closed.map((step) => [step.node.key, heightOf(step)]));
    const edges = view.edges.map(({ source, target }) => ({ source, target, label: "" }));
    const nodes = view.nodes.map(({ key, parent }) => ({ id: key, parent }));
    return placed({ nodes, edges }, (id) => ({ width: WIDTH, height: heights.get(id) ?? HEAD }), "LR");
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `shape` says all that matters of it
  }, [shape]);

  const nodes = useMemo<Shown[]>(
    () =>
      steps
        .map((step): Shown | null => {
          const { key, parent } = step.node;
          const place = places.get(key);
          if (!place) return null;
          const isMovable = !step.isFrame && !parent;
          return {
            id: key,
            type: "step",
            position: (isMovable && moved[key]) || { x: place.x, y: place.y },
            data: step,
            width: place.width,
            height: step.isFrame ? place.height : heightOf(step),
            zIndex: step.isFrame ? -1 : key === chosen ? 2 : 1,
            selected: key === chosen,
            className: marked.includes(key) ? "studio-marked" : "",
            draggable: isMovable,
            deletable: !isReadOnly,
            ariaLabel: words.openNode(step.title),
          };
        })
        .filter((node) => node !== null)
        .sort((one, other) => Number(other.data.isFrame) - Number(one.data.isFrame)),
    [steps, places, moved, marked, chosen, isReadOnly, words],
  );
  const edges = useMemo<Flow[]>(() => {
    const hasRow = new Map(steps.map((step) => [step.node.key, step]));
    return view.edges.map((edge): Flow => {
      const [from, to] = [hasRow.get(edge.source), hasRow.get(edge.target)];
      const id = `${edge.source}.${edge.output}>${edge.target}.${edge.input}`;
      return {
        id,
        type: "flow",
        source: edge.source,
        target: edge.target,
        sourceHandle: from?.outputs.some((each) => each.name === edge.output) && !from.isFrame ? edge.output : HEAD_PORT,
        targetHandle: to?.inputs.some((each) => each.name === edge.input) && !to.isFrame ? edge.input : HEAD_PORT,
        selected: id === line,
        deletable: !isReadOnly,
        ariaLabel: words.edge(`${edge.source}.${edge.output}`, `${edge.target}.${edge.input}`),
        data: { sample: short(samples?.get(edge.source)?.outputs[edge.output]), input: edge.input },
      };
    });
  }, [view.edges, samples, steps, line, isReadOnly, words]);

  const edgeOf = (id: string): PlanEdge | undefined => view.edges[edges.findIndex((edge) => edge.id === id)];
  const onNodes = useCallback(
    (changes: NodeChange<Shown>[]) => {
      for (const change of changes) {
        if (change.type === "position" && change.position) {
          const { id, position } = change;
          setMoved((before) => {
            const after = { ...before, [id]: position };
            if (!change.dragging) remember(store, JSON.stringify(after));
            return after;
          });
        } else if (change.type === "select" && change.selected) select(change.id);
      }
    },
    [select, store],
  );
  const onEdges = useCallback((changes: EdgeChange<Flow>[]) => {
    for (const change of changes) if (change.type === "select") setLine(change.selected ? change.id : null);
  }, []);
  const onConnect = ({ source, sourceHandle, target, targetHandle }: Connection) => {
    if (sourceHandle && targetHandle && sourceHandle !== HEAD_PORT && targetHandle !== HEAD_PORT) connect({ source, output: sourceHandle, target, input: targetHandle });
  };
  const onDrop = (event: DragEvent) => {
    const block = event.dataTransfer.getData(BLOCK_TYPE);
    if (!block || isReadOnly) return;
    event.preventDefault();
    const at = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    const into = frameAt(steps, places, at);
    if (!into) setMoved((before) => ({ ...before, [freshId(view, block)]: at }));
    add(block, into);
  };
  /** Out from under the form that opens beside it. */
  const open = (key: string) => {
    select(key);
    const place = nodes.find((node) => node.id === key);
    const room = canvas.current?.getBoundingClientRect();
    if (!place || !room) return;
    const hidden = flow.flowToScreenPosition({ x: place.position.x + WIDTH, y: 0 }).x + FORM_WIDTH - room.right;
    const { x, y, zoom } = flow.getViewport();
    if (hidden > 0) void flow.setViewport({ x: x - Math.min(hidden, room.width), y, zoom });
  };
  const fit = () => void flow.fitView({ maxZoom: 1, padding: 0.08 });
  const count = view.nodes.length;
  useEffect(() => {
    const timer = setTimeout(() => void flow.fitView(LEGIBLE), 0);
    return () => clearTimeout(timer);
  }, [flow, count]);
  return (
    <div ref={canvas} className="studio-canvas" onDragOver={(event) => event.preventDefault()} onDrop={onDrop}>
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        onNodesChange={onNodes}
        onEdgesChange={onEdges}
        onConnect={onConnect}
        onNodeClick={(event, node) => (event.shiftKey && !node.data.node.parent ? mark(node.id) : open(node.id))}
        onPaneClick={() => select(null)}
        onDelete={({ nodes: gone, edges: cut }) => {
          const [node] = gone;
          if (node) remove(node.data.node);
          else for (const each of cut) disconnect(edgeOf(each.id) ?? { source: "", output: "", target: "", input: "" });
        }}
        nodesConnectable={!isReadOnly}
        deleteKeyCode={isReadOnly ? null : ["Delete", "Backspace"]}
        multiSelectionKeyCode={null}
        connectionRadius={26}
        fitView
        fitViewOptions={LEGIBLE}
        minZoom={0.1}
        maxZoom={2}
      />
      <div className="graph-tools">
        <button type="button" className="plain" aria-label={tools.zoomIn} onClick={() => void flow.zoomIn()}>
          <Icon name="plus" />
        </button>
        <button type="button" className="plain" aria-label={tools.zoomOut} onClick={() => void flow.zoomOut()}>
          <Icon name="minus" />
        </button>
        <button type="button" className="plain" aria-label={tools.fit} onClick={fit}>
          <Icon name="expand" />
        </button>
        {Object.keys(moved).length > 0 && (
          <button
            type="button"
            className="plain"
            onClick={() => {
              setMoved({});
              remember(store, "{}");
            }}
          >
            {words.arrange}
          </button>
        )}
      </div>
    </div>
  );
}

/** The innermost loop at a place. */
function frameAt(steps: readonly Step[], places: ReadonlyMap<string, Placed>, { x, y }: { x: number; y: number }): string {
  const around = steps
    .filter((step) => step.isFrame)
    .filter(({ node }) => {
      const place = places.get(node.key);
      return place && x > place.x && y > place.y && x < place.x + place.width && y < place.y + place.height;
    })
    .map(({ node }) => node.key);
  return around.sort((one, other) => other.length - one.length)[0] ?? "";
}

function short(value: Json | undefined): string {
  if (value === undefined) return "";
  const text = told(value, 0);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** Files by their names, of a list how many it has and the first of them. */
function told(value: Json, depth: number): string {
  if (value === null || typeof value !== "object") return typeof value === "string" ? value : JSON.stringify(value);
  if (depth > 3) return "…";
  if (Array.isArray(value)) return value.length === 0 ? "[]" : `[${value.length}] ${told(value[0] as Json, depth + 1)}`;
  const { name, file_id: file } = value as JsonObject;
  if (typeof name === "string" && file !== undefined) return name;
  return Object.entries(value as JsonObject)
    .slice(0, 4)
    .map(([key, each]) => `${key}: ${told(each, depth + 1)}`)
    .join(", ");
}

const StepNode = memo(function StepNode({ data: { node, title, inputs, outputs, more, faults, isFrame } }: NodeProps<Shown>) {
  const words = useWords(STUDIO);
  const worst = faults.some((each) => each.severity === "error") ? "bad" : faults.length > 0 ? "caution" : undefined;
  return (
    <div className={isFrame ? "graph-frame" : "graph-node studio-node"} data-fault={worst}>
      <div className="studio-node-head">
        <Handle id={HEAD_PORT} type="target" position={Position.Left} isConnectable={false} />
        <span className="graph-title">
          {title}
          {worst && (
            <span className="tag" data-tone={worst}>
              {words.findingsShort(faults.length)}
            </span>
          )}
        </span>
        <span className="graph-status">{blockId(node.block) || words.kinds[node.kind]}</span>
        <Handle id={HEAD_PORT} type="source" position={Position.Right} isConnectable={false} />
      </div>
      {!isFrame && (
        <div className="studio-ports">
          <ul>
            {inputs.map(({ name, isRequired, isGiven, type }) => (
              <li key={name} title={type} data-lacks={(isRequired && !isGiven) || undefined}>
                <Handle id={name} type="target" position={Position.Left} />
                {name}
              </li>
            ))}
          </ul>
          <ul>
            {outputs.map(({ name, type }) => (
              <li key={name} title={type}>
                {name}
                <Handle id={name} type="source" position={Position.Right} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {more > 0 && !isFrame && <span className="studio-more">{words.morePorts(more)}</span>}
    </div>
  );
});

function FlowEdge({ sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition, data, markerEnd }: EdgeProps<Flow>) {
  const [path, x, y] = getBezierPath({ sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition });
  return (
    <>
      <BaseEdge path={path} {...(markerEnd ? { markerEnd } : {})} {...(data?.input ? {} : { className: "studio-order" })} />
      {data?.sample && (
        <EdgeLabelRenderer>
          <span className="studio-sample" style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}>
            {data.sample}
          </span>
        </EdgeLabelRenderer>
      )}
    </>
  );
}

const NODE_TYPES = { step: StepNode };
const EDGE_TYPES = { flow: FlowEdge };

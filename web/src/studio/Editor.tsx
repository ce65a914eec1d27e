"use client";

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentMore, isolateHistory, redo, undo } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, codeFolding, foldGutter, foldKeymap, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, hoverTooltip, keymap, lineNumbers, type Tooltip } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useImperativeHandle, useRef, type Ref } from "react";
import type { Finding } from "@/api/model";
import { useWords } from "@/preferences/language";
import { meaningAt, offersAt } from "./assist";
import type { Catalogue } from "./catalogue";
import type { PlanView } from "./planText";
import { STUDIO } from "./words";
import type { Change } from "./yamlText";

export interface EditorHandle {
  apply: (change: Change) => void;
  undo: () => void;
  redo: () => void;
  reveal: (offset: number) => void;
  revealLine: (line: number) => void;
}

interface Props {
  text: string;
  findings: readonly Finding[];
  catalogue: Catalogue;
  view: PlanView;
  isReadOnly: boolean;
  onChange: (text: string) => void;
  handle: Ref<EditorHandle>;
}

const COLOURS = HighlightStyle.define([
  { tag: [tags.definition(tags.propertyName), tags.propertyName], color: "var(--accent-text)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--good)" },
  { tag: [tags.comment, tags.lineComment], color: "var(--quiet)", fontStyle: "italic" },
  { tag: [tags.keyword, tags.typeName, tags.labelName, tags.meta], color: "var(--caution)" },
]);

const LOOK = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--surface)", fontSize: "13px" },
  "&.cm-focused": { outline: "2px solid var(--accent-text)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--font-code)", lineHeight: "1.6" },
  ".cm-content": { caretColor: "var(--text)", paddingBlock: "8px" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--side)", color: "var(--quiet)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--accent-soft) 45%, transparent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--accent-soft)" },
  ".cm-tooltip, .cm-panels": { backgroundColor: "var(--surface)", color: "var(--text)", border: "1px solid var(--line-strong)" },
  ".cm-tooltip": { borderRadius: "6px", fontSize: "12.5px", maxWidth: "26rem" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-completionDetail": { color: "inherit", opacity: "0.85", fontStyle: "normal" },
  ".cm-completionInfo": { padding: "6px 8px", whiteSpace: "normal" },
  ".cm-meaning": { padding: "6px 10px", maxWidth: "26rem" },
  ".cm-meaning strong": { fontFamily: "var(--font-code)" },
  ".cm-foldPlaceholder": { backgroundColor: "var(--sunken)", color: "var(--quiet)", border: "1px solid var(--line-strong)" },
  ".cm-diagnostic": { whiteSpace: "pre-wrap" },
});

/** The plan's text. Every edit, wherever it is made, is one of this text, and undone here. */
export default function Editor({ text, findings, catalogue, view, isReadOnly, onChange, handle }: Props) {
  const words = useWords(STUDIO);
  const host = useRef<HTMLDivElement>(null);
  const shown = useRef<EditorView | null>(null);
  const known = useRef({ catalogue, view, onChange });
  known.current = { catalogue, view, onChange };
  const start = useRef(text);
  const reading = useRef(new Compartment());

  useEffect(() => {
    const place = host.current;
    if (!place) return;
    // In a shadow, its styles are sheets of its own: the page's policy lets in no style that a script writes into the page.
    const root = place.shadowRoot ?? place.attachShadow({ mode: "open" });
    const complete = (context: CompletionContext): CompletionResult | null => {
      const found = offersAt(context.state.doc.toString(), context.pos, known.current.catalogue, known.current.view);
      if (!found || (!context.explicit && !context.matchBefore(/[\w.${]$/))) return null;
      const options = found.offers.map(({ label, detail, info, apply }) => ({ label, detail, ...(info ? { info } : {}), ...(apply ? { apply } : {}) }));
      return { from: found.from, options, validFor: /^[\w.\-ぁ-ゖァ-ヺ一-鿿]*$/ };
    };
    const hover = (editor: EditorView, at: number): Tooltip | null => {
      const found = meaningAt(editor.state.doc.toString(), at, known.current.catalogue, known.current.view);
      if (!found) return null;
      const dom = document.createElement("div");
      dom.className = "cm-meaning";
      dom.append(Object.assign(document.createElement("strong"), { textContent: found.title }), ` · ${found.type}`);
      dom.append(Object.assign(document.createElement("div"), { textContent: found.text }));
      return { pos: found.from, end: found.to, above: true, create: () => ({ dom }) };
    };
    const state = EditorState.create({
      doc: start.current,
      extensions: [
        lineNumbers(),
        foldGutter(),
        codeFolding(),
        history(),
        drawSelection(),
        indentOnInput(),
        indentUnit.of("  "),
        bracketMatching(),
        closeBrackets(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        search({ top: true }),
        yaml(),
        syntaxHighlighting(COLOURS),
        autocompletion({ override: [complete] }),
        hoverTooltip(hover),
        lintGutter(),
        LOOK,
        EditorState.phrases.of(words.editorPhrases),
        EditorView.contentAttributes.of({ "aria-label": words.editorLabel, tabindex: "0" }),
        reading.current.of(EditorState.readOnly.of(false)),
        // Tab goes on to the next field, as everywhere on the page.
        keymap.of([...closeBracketsKeymap, ...completionKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...lintKeymap, ...defaultKeymap, { key: "Ctrl-]", run: indentMore }]),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          start.current = update.state.doc.toString();
          known.current.onChange(start.current);
        }),
      ],
    });
    const editor = new EditorView({ state, parent: root, root });
    shown.current = editor;
    return () => {
      shown.current = null;
      editor.destroy();
    };
  }, [words]);

  useEffect(() => {
    shown.current?.dispatch({ effects: reading.current.reconfigure(EditorState.readOnly.of(isReadOnly)) });
  }, [isReadOnly, words]);

  useEffect(() => {
    const editor = shown.current;
    if (editor) editor.dispatch(setDiagnostics(editor.state, findings.map((finding) => diagnostic(editor.state, finding))));
  }, [findings, words]);

  useImperativeHandle(handle, () => {
    const reveal = (offset: number) => {
      const editor = shown.current;
      if (!editor) return;
      const at = Math.min(offset, editor.state.doc.length);
      editor.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
    };
    return {
      apply: (change) =>
        shown.current?.dispatch({
          changes: change,
          userEvent: "input.graph",
          annotations: isolateHistory.of("full"),
          effects: EditorView.scrollIntoView(change.from, { y: "center" }),
        }),
      undo: () => shown.current && undo(shown.current),
      redo: () => shown.current && redo(shown.current),
      reveal,
      revealLine: (line) => {
        const { doc } = shown.current?.state ?? EditorState.create();
        reveal(doc.line(Math.min(Math.max(line, 1), doc.lines)).from);
        shown.current?.focus();
      },
    };
  }, []);
  return <div ref={host} className="studio-editor" />;
}

function diagnostic({ doc }: EditorState, { line, column, severity, message, hint }: Finding): Diagnostic {
  const place = doc.line(Math.min(Math.max(line ?? 1, 1), doc.lines));
  const from = Math.min(place.from + Math.max((column ?? 1) - 1, 0), place.to);
  return { from, to: Math.max(from, place.to), severity, message: hint ? `${message}\n${hint}` : message };
}

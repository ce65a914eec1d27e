// Does to YAML texts what the studio does: a line of JSON in, a line of JSON out.
// Arguments: the folder `web`. The module is TypeScript, and compiled here.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const web = process.argv[2];
const require = createRequire(`${web}/package.json`);
const ts = require("typescript");
const { EditorState } = require("@codemirror/state");
const { history, redo, undo } = require("@codemirror/commands");

function load(file) {
  const options = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };
  const { outputText } = ts.transpileModule(readFileSync(`${web}/src/studio/${file}.ts`, "utf8"), { compilerOptions: options });
  const module = { exports: {} };
  const inside = (name) => (name.startsWith("./") ? load(name.slice(2)) : require(name));
  new Function("require", "module", "exports", outputText)(inside, module, module.exports);
  return module.exports;
}

const { NotEditable, appendTo, removeAt, setAt } = load("yamlText");
const { readPlan } = load("planText");
const { offersAt, meaningAt } = load("assist");
const { Catalogue } = load("catalogue");
const EDITS = { set: setAt, append: appendTo, remove: removeAt };

function answer({ text, edits, plan, at, catalogue }) {
  if (plan) return readPlan(text);
  if (catalogue) {
    const known = new Catalogue(catalogue);
    return { offers: offersAt(text, at, known, readPlan(text)), meaning: meaningAt(text, at, known, readPlan(text)) };
  }
  let state = EditorState.create({ doc: text, extensions: [history({ newGroupDelay: 0 })] });
  const take = (transaction) => (state = transaction.state);
  const steps = [];
  for (const { kind, path, value } of edits) {
    try {
      const change = EDITS[kind](state.doc.toString(), path, value);
      take(state.update({ changes: change, userEvent: "input.graph" }));
      steps.push({ text: state.doc.toString(), change });
    } catch (error) {
      if (!(error instanceof NotEditable)) throw error;
      steps.push(null);
    }
  }
  const end = state.doc.toString();
  while (undo({ state, dispatch: take }));
  const undone = state.doc.toString();
  while (redo({ state, dispatch: take }));
  return { steps, undone, redone: state.doc.toString(), end };
}

for await (const line of createInterface({ input: process.stdin })) console.log(JSON.stringify(answer(JSON.parse(line))));

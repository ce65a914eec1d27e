"use strict";
// Renders the OpenAPI document with text nodes only: nothing in it becomes markup.
const words = document.body.dataset;
const main = document.querySelector("main");

function make(tag, text, ...children) {
  const node = document.createElement(tag);
  if (text) node.textContent = text;
  node.append(...children);
  return node;
}

function typeOf(schema) {
  if (!schema) return "";
  if (schema.$ref) return schema.$ref.split("/").pop();
  const options = schema.anyOf || schema.oneOf;
  if (options) return options.map(typeOf).join(" | ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.type === "array") return typeOf(schema.items || schema.prefixItems?.[0]) + "[]";
  return schema.format ? `${schema.type} (${schema.format})` : schema.type || "any";
}

function contents(content) {
  return Object.entries(content || {}).map(([type, media]) => `${type}: ${typeOf(media.schema)}`);
}

function table(rows) {
  return make("table", "", ...rows.map((cells) =>
    make("tr", "", ...cells.map((cell) => make("td", cell)))));
}

function operation(path, method, described) {
  const head = make("summary", "", make("span", method.toUpperCase()), make("code", path),
    document.createTextNode(` ${described.summary}`));
  head.firstChild.className = "method";
  const box = make("details", "", head);
  if (described.description) box.append(make("p", described.description));
  if (described.parameters?.length) {
    box.append(make("h3", words.parameters), table(described.parameters.map((each) =>
      [each.name, each.in, typeOf(each.schema), each.required ? "*" : ""])));
  }
  if (described.requestBody) {
    box.append(make("h3", words.body), make("pre", contents(described.requestBody.content).join("\n")));
  }
  box.append(make("h3", words.responses), table(Object.entries(described.responses).map(
    ([status, each]) => [status, each.description, contents(each.content).join("\n")])));
  return box;
}

function show(api) {
  const root = api.servers[0].url.replace(/\/$/, "");
  document.querySelector("#description").textContent = api.info.description;
  for (const tag of api.tags) {
    main.append(make("h2", tag.description));
    for (const [path, methods] of Object.entries(api.paths)) {
      for (const [method, described] of Object.entries(methods)) {
        if (described.tags.includes(tag.name)) main.append(operation(root + path, method, described));
      }
    }
  }
  main.append(make("h2", words.schemas));
  for (const [name, schema] of Object.entries(api.components.schemas)) {
    main.append(make("details", "", make("summary", name), make("pre", JSON.stringify(schema, null, 2))));
  }
}

fetch("openapi.json")
  .then((response) => response.json())
  .then(show)
  .catch((error) => main.append(make("p", `${words.failed} ${error}`)));

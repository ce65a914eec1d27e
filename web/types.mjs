// `npm run types`: the page's types from openapi.json, with its hash, so that a test can tell
// without Node whether they belong together.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";

const source = readFileSync("openapi.json", "utf8");
const types = astToString(await openapiTS(source));
const hash = createHash("sha256").update(source).digest("hex");
writeFileSync(
  "src/api/schema.d.ts",
  `// Made by \`npm run types\` from openapi.json, SHA-256 ${hash}. Not edited by hand.\n\n${types}`,
);

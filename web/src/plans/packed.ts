/** The plans in a file from this machine: a YAML file is one, a ZIP file may hold several. */

export interface PlanFile {
  name: string;
  text: string;
}

const MOST_PLANS = 50;
const MOST_BYTES = 2_000_000;
const END = 0x06054b50;
const ENTRY = 0x02014b50;
const END_BYTES = 22;
const COMMENT_BYTES = 65_535;
const STORED = 0;
const DEFLATED = 8;
const PLAN = /\.ya?ml$/i;
const ARCHIVE = /\.zip$/i;

/** None where there is none in it, or where it can't be read. */
export async function plansIn(file: File): Promise<PlanFile[]> {
  if (!ARCHIVE.test(file.name)) return [{ name: file.name, text: await file.text() }];
  try {
    return await unpacked(await file.arrayBuffer());
  } catch {
    return []; // damaged, or no ZIP file at all
  }
}

async function unpacked(buffer: ArrayBuffer): Promise<PlanFile[]> {
  const view = new DataView(buffer);
  let end = buffer.byteLength - END_BYTES;
  const first = Math.max(0, end - COMMENT_BYTES);
  while (end > first && view.getUint32(end, true) !== END) end -= 1;
  if (view.getUint32(end, true) !== END) return [];
  const found: PlanFile[] = [];
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0 && view.getUint32(at, true) === ENTRY; left -= 1) {
    const method = view.getUint16(at + 10, true);
    const packedSize = view.getUint32(at + 20, true);
    const size = view.getUint32(at + 24, true);
    const nameSize = view.getUint16(at + 28, true);
    const place = view.getUint32(at + 42, true);
    // Old Windows names are not UTF-8, but their ending is: the plan itself says what it is called.
    const name = new TextDecoder().decode(new Uint8Array(buffer, at + 46, nameSize));
    at += 46 + nameSize + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    if (!PLAN.test(name) || name.startsWith("__MACOSX/") || size > MOST_BYTES || found.length >= MOST_PLANS) continue;
    const begin = place + 30 + view.getUint16(place + 26, true) + view.getUint16(place + 28, true);
    const text = await readText(new Uint8Array(buffer, begin, packedSize), method);
    if (text !== null) found.push({ name: name.slice(name.lastIndexOf("/") + 1), text });
  }
  return found;
}

async function readText(packed: Uint8Array<ArrayBuffer>, method: number): Promise<string | null> {
  if (method === STORED) return new TextDecoder().decode(packed);
  if (method !== DEFLATED) return null;
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    if (text.length > MOST_BYTES) return null; // it says that it is small, and is not
  }
}

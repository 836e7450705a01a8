// Reads a JSON list of diagrams from stdin, and prints for each how the real Mermaid parses it. The argument is the
// folder with mermaid and jsdom: mermaid cleans labels with a browser's document.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const load = (path) => import(pathToFileURL(`${process.argv[2]}/node_modules/${path}`).href);
const { JSDOM } = (await load("jsdom/lib/api.js")).default;
const { window } = new JSDOM("");
Object.assign(globalThis, { window, document: window.document });
const { default: mermaid } = await load("mermaid/dist/mermaid.core.mjs");

// Mermaid encodes a character that is given by its number in this way between parser and drawing.
const decoded = (text) => text.replace(/ﬂ°°(\d+)¶ß/g, (_, number) => String.fromCodePoint(number));

for (const text of JSON.parse(readFileSync(0, "utf8"))) {
  await mermaid.parse(text);
  const { db } = await mermaid.mermaidAPI.getDiagramFromText(text);
  console.log("# a diagram");
  for (const group of db.getSubGraphs()) console.log(`${decoded(group.title)}: ${group.nodes.join(" ")}`);
  for (const [id, node] of db.getVertices()) console.log(`${id} ${decoded(node.text)}`);
  for (const edge of db.getEdges()) console.log(`${edge.start} ${edge.stroke} ${edge.type} ${edge.end} ${edge.text}`.trim());
}

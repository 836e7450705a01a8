// Reads diagrams, a JSON list of texts, from stdin; prints for each what the real Mermaid understands of it. The argument is
// the folder in which mermaid and jsdom are installed: mermaid cleans labels with the document of a browser.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const load = (path) => import(pathToFileURL(`${process.argv[2]}/node_modules/${path}`).href);
const { JSDOM } = (await load("jsdom/lib/api.js")).default;
const { window } = new JSDOM("");
Object.assign(globalThis, { window, document: window.document });
const { default: mermaid } = await load("mermaid/dist/mermaid.core.mjs");

// How Mermaid carries a character given by its number from the parser to the drawing.
const decoded = (text) => text.replace(/ﬂ°°(\d+)¶ß/g, (_, number) => String.fromCodePoint(number));

for (const text of JSON.parse(readFileSync(0, "utf8"))) {
  await mermaid.parse(text);
  const { db } = await mermaid.mermaidAPI.getDiagramFromText(text);
  console.log("# a diagram");
  for (const group of db.getSubGraphs()) console.log(`${decoded(group.title)}: ${group.nodes.join(" ")}`);
  for (const [id, node] of db.getVertices()) console.log(`${id} ${decoded(node.text)}`);
  for (const edge of db.getEdges()) console.log(`${edge.start} ${edge.stroke} ${edge.type} ${edge.end} ${edge.text}`.trim());
}

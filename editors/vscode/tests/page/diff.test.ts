import { expect, test } from "vitest";
import { split } from "../../../../crates/zubi-web/page/diff.js";

const EDIT = `diff --git a/src/a.rs b/src/a.rs
--- a/src/a.rs
+++ b/src/a.rs
@@ -1,3 +1,4 @@ fn main
 one
-two
+2
+2½
 three
`;

/** Renders one line per part, and below a file its lines with both numbers. */
function shown(text: string): string[] {
  return split(text).flatMap((part) => {
    if ("text" in part) return [`text ${JSON.stringify(part.text)}`];
    const { path, change, from, added, removed, hunks, notes } = part.file;
    return [
      `file ${path} ${change}${from === "" ? "" : ` from ${from}`} +${added} -${removed}`,
      ...notes,
      ...hunks.flatMap((hunk) => hunk.lines.map((line) => `${line.old ?? "-"} ${line.new ?? "-"} ${line.kind} ${line.text}`)),
    ];
  });
}

test("split finds a diff within a text and numbers its lines", () => {
  expect(shown(`Done.\n${EDIT}Undo with u1.`)).toEqual([
    'text "Done."',
    "file src/a.rs changed +2 -1",
    "1 1 context one", "2 - remove two", "- 2 add 2", "- 3 add 2½", "3 4 context three",
    'text "Undo with u1."',
  ]);
});

test.each([
  ["new file", "diff --git a/n b/n\nnew file\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n", ["file n created +1 -0", "- 1 add x"]],
  ["deleted file", "diff --git a/o b/o\ndeleted file\n--- a/o\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", ["file o deleted +0 -1", "1 - remove x"]],
  ["moved", "diff --git a/o b/n\nrename from o\nrename to n\n", ["file n renamed from o +0 -0"]],
  ["binary", "diff --git a/o b/o\ndeleted file\nBinary file or link, content not shown\n",
    ["file o deleted +0 -0", "Binary file or link, content not shown"]],
  ["no end of line", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n",
    ["file x changed +1 -1", "1 - remove a", "- 1 add b"]],
  ["lines that look like a header", "--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n--- a\n-+++ b\n+c\n",
    ["file x changed +1 -2", "1 - remove -- a", "2 - remove +++ b", "- 1 add c"]],
  ["cut", "--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n a\n[diff cut: 8 more lines of x]\n",
    ["file x changed +0 -0", "1 1 context a", 'text "[diff cut: 8 more lines of x]\\n"']],
  ["no diff", "--- is a rule\nand nothing else", ['text "--- is a rule\\nand nothing else"']],
])("%s", (_, text, lines) => {
  expect(shown(text)).toEqual(lines);
});

test("split returns one part for each file", () => {
  expect(shown(EDIT + EDIT.replaceAll("a.rs", "b.rs")).filter((line) => line.startsWith("file"))).toHaveLength(2);
});

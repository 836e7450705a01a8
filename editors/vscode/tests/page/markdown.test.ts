import { expect, test } from "vitest";
import { type Block, type Inline, inline, parse } from "../../../../crates/zubi-web/page/markdown.js";

/** Renders the tree in one line: `p(…)`, `*…*` for emphasis, `[text](address)` for a link. */
function short(blocks: readonly Block[]): string {
  return blocks.map((block) => {
    switch (block.kind) {
      case "paragraph":
        return `p(${words(block.inside)})`;
      case "heading":
        return `h${block.level}(${words(block.inside)})`;
      case "code":
        return `code:${block.language}(${block.text})`;
      case "quote":
        return `quote(${short(block.blocks)})`;
      case "list":
        return `${block.start === null ? "ul" : `ol${block.start}`}(${block.items.map((item) => short(item)).join(" | ")})`;
      case "rule":
        return "rule";
    }
  }).join(" ");
}

function words(nodes: readonly Inline[]): string {
  return nodes.map((node) => {
    switch (node.kind) {
      case "text":
        return node.text;
      case "code":
        return `\`${node.text}\``;
      case "link":
        return `[${words(node.inside)}](${node.to})`;
      case "break":
        return "⏎";
      default:
        return `<${node.kind} ${words(node.inside)}>`;
    }
  }).join("");
}

test.each([
  ["Tea and *cake*.", "p(Tea and <emphasis cake>.)"],
  ["**bold** and __bold__, ~~gone~~", "p(<strong bold> and <strong bold>, <struck gone>)"],
  ["***both***", "p(<strong <emphasis both>>)"],
  ["snake_case_name and 2 * 3 * 4", "p(snake_case_name and 2 * 3 * 4)"],
  ["`a * b` and ``a ` b``", "p(`a * b` and `a ` b`)"],
  ["an open `code and **bold", "p(an open `code and **bold)"],
  ["two\nlines  \nthree", "p(two\nlines⏎three)"],
  ["\\*no\\* emphasis", "p(*no* emphasis)"],
  ["# One\n## Two ##\ntext", "h1(One) h2(Two) p(text)"],
  ["```rust\nfn main() {}\n```\nafter", "code:rust(fn main() {}) p(after)"],
  ["```\nnot closed **yet**", "code:(not closed **yet**)"],
  ["~~~\n```\n~~~", "code:(```)"],
  ["- one\n- two\n  more\n\nafter", "ul(p(one) | p(two\nmore)) p(after)"],
  ["1. one\n2. two\n   - deep\n3. three", "ol1(p(one) | p(two) ul(p(deep)) | p(three))"],
  ["- a\n\n- b", "ul(p(a) | p(b))"],
  ["> quoted\n> - in a list", "quote(p(quoted) ul(p(in a list)))"],
  ["---\n***", "rule rule"],
])("%j", (text, tree) => {
  expect(short(parse(text))).toBe(tree);
});

test.each([
  ["[the shop](https://example.org/a?b=1)", "[the shop](https://example.org/a?b=1)"],
  ["see https://example.org/a.", "see [https://example.org/a](https://example.org/a)."],
  ["[run](javascript:alert(1))", "[run](javascript:alert(1))"],
  ["[x](data:text/html,x) [y](file:///etc/passwd) [z](vscode://x)", "[x](data:text/html,x) [y](file:///etc/passwd) [z](vscode://x)"],
  ["![picture](https://example.org/x.png)", "![picture](https://example.org/x.png)"],
  ["<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>"],
])("only http and https addresses become links: %s", (text, shown) => {
  expect(words(inline(text))).toBe(shown);
  const links = inline(text).flatMap((node) => (node.kind === "link" ? [node.to] : []));
  expect(links.every((to) => /^https?:/.test(to))).toBe(true);
  expect(links.length > 0).toBe(text.includes("https://"));
});

test("parse returns the source of each block", () => {
  const text = "# A\n\npara\n\n- x\n- y\n\n```\ncode\n```";
  expect(parse(text).map(({ source }) => source)).toEqual(["# A", "para", "- x\n- y", "```\ncode\n```"]);
});

test.each(["*", "_", "`", "[", "**a", "> ", "- ", "[a](", "~~", "\\"])("parse reads 50,000 repetitions of %j within two seconds", (node) => {
  const startTime = performance.now();
  parse(node.repeat(50_000));
  expect(performance.now() - startTime).toBeLessThan(2000);
});

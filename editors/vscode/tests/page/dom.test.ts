import { expect, test } from "vitest";
import { usageTexts, tokensText } from "../../../../crates/zubi-web/page/dom.js";

test("the page shows token counts", () => {
  expect(tokensText({ input: 4400, output: 140 })).toBe("4,540 tokens (4,400 in, 140 out)");
  expect(usageTexts({ input: 4400, output: 140 }, { input: 0, output: 7 })).toEqual(["4,540 tokens", ", 7 in this turn"]);
});

test("the page shows no token counts if the model reports none", () => {
  const none = { input: 0, output: 0 };
  expect(tokensText(none)).toBe("");
  expect(usageTexts(none, none)).toEqual(["", ""]);
  expect(usageTexts({ input: 1, output: 1 }, none)).toEqual(["2 tokens", ""]);
});

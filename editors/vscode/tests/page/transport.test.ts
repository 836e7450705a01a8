import { expect, test } from "vitest";
import { EventParser } from "../../../../crates/zubi-web/page/transport.js";

const STREAM = 'event: told\ndata: {"a":1}\n\n: still here\n\nevent: reload\ndata: {}\n\ndata: one\ndata: two\n\n';

test.each([1, 2, 7, 1000])("the parser reads events from chunks of %i characters", (length) => {
  const parser = new EventParser();
  const found = [];
  for (let at = 0; at < STREAM.length; at += length) found.push(...parser.push(STREAM.slice(at, at + length)));
  expect(found).toEqual([
    { name: "told", data: '{"a":1}' },
    { name: "reload", data: "{}" },
    { name: "message", data: "one\ntwo" },
  ]);
});

import { expect, test } from "vitest";
import { type Field, fieldsOf, read, readArguments, write } from "../../../../crates/zubi-web/page/schema.js";

/** Renders a field in one line, its children in brackets. */
function short({ name, kind, required, common, item, fields, choices }: Field): string {
  const inside = [...(item === null ? [] : [item]), ...fields].map(short).join(" ");
  return `${name}:${kind}${required ? "!" : ""}${common ? "~" : ""}${inside === "" ? "" : `[${inside}]`}${choices.length === 0 ? "" : `(${choices.join()})`}`;
}

function fields(properties: object, required: readonly string[] = []): string {
  return fieldsOf({ type: "object", properties, required }).map(short).join(" ");
}

test("each kind of value has a field; required fields come first and common fields last", () => {
  expect(fields({
    limit: { type: "integer", "x-common": true },
    text: { type: "string" },
    count: { type: "integer" },
    share: { type: "number" },
    all: { type: "boolean" },
    mode: { type: "string", enum: ["a", "b"] },
    path: { type: "string" },
  }, ["path"])).toBe("path:text! text:text count:integer share:number all:boolean mode:choice(a,b) limit:integer~");
});

test("lists and objects have nested fields up to a maximum depth", () => {
  const edit = { type: "object", properties: { old: { type: "string" }, all: { type: "boolean" } }, required: ["old"] };
  expect(fields({ edits: { type: "array", items: edit } })).toBe("edits:list[:object![old:text! all:boolean]]");
  let deep: object = { type: "string" };
  for (let depth = 0; depth < 9; depth += 1) deep = { type: "object", properties: { x: deep } };
  expect(fields({ deep })).toContain("x:json");
});

test("a value without a matching kind of field has a JSON field", () => {
  expect(fields({ any: {}, free: { type: "object" }, either: { type: ["string", "integer"] }, maybe: { type: ["string", "null"] } }))
    .toBe("any:json free:json either:json maybe:text");
});

test.each<[object, boolean, string, object]>([
  [{ type: "string" }, false, "", {}],
  [{ type: "string" }, true, "", { value: "" }],
  [{ type: "string" }, false, "12", { value: "12" }],
  [{ type: "integer" }, false, " 12 ", { value: 12 }],
  [{ type: "integer" }, false, "1.5", { problem: "Enter a whole number." }],
  [{ type: "integer" }, true, "", { problem: "Required." }],
  [{ type: "integer", minimum: 1 }, false, "0", { problem: "At least 1." }],
  [{ type: "number", maximum: 1 }, false, "1.5", { problem: "At most 1." }],
  [{ type: "number" }, false, "many", { problem: "Enter a number." }],
  [{ type: "number" }, false, "   ", { problem: "Enter a number." }],
  [{ type: "boolean" }, false, "false", { value: false }],
  [{ enum: [1, "b"] }, false, "1", { value: 1 }],
  [{}, false, '{"a": [1]}', { value: { a: [1] } }],
])("%j (required: %s) reads %j", (schema, required, typed, outcome) => {
  const [field] = fieldsOf({ properties: { x: schema }, required: required ? ["x"] : [] });
  expect(read(field as Field, typed)).toEqual(outcome);
});

test.each([["[1]", "The arguments must be a JSON object: { … }."], ["{", "Invalid JSON"], ["null", "The arguments must be a JSON object"]])(
  "readArguments rejects %s", (typed, problem) => {
    expect(readArguments(typed).problem).toContain(problem);
  });

test("a field reads back the value that was written", () => {
  for (const [schema, value] of [[{ type: "integer" }, 3], [{ type: "boolean" }, false], [{}, { a: 1 }], [{ type: "string" }, "x"]] as const) {
    const [field] = fieldsOf({ properties: { x: schema } });
    expect(read(field as Field, write(field as Field, value))).toEqual({ value });
  }
});

// @ts-check
// Fields of a form, derived from a tool's JSON Schema, and the conversion between text and value. Independent of the
// page.

/**
 * One field. The type `json` is for schemas that no other type covers.
 *
 * @typedef {object} Field
 * @property {string} name
 * @property {"text" | "integer" | "number" | "boolean" | "choice" | "list" | "object" | "json"} kind
 * @property {string} description
 * @property {boolean} required
 * @property {boolean} common Whether many tools have it.
 * @property {unknown[]} choices Of a `choice`.
 * @property {Field | null} item Of a `list`.
 * @property {Field[]} fields Of an `object`.
 * @property {number | null} minimum
 * @property {number | null} maximum
 */

/** The maximum depth of objects and lists with fields of their own. */
const MAX_DEPTH = 4;

/** Returns the fields of a tool, required ones first. @param {any} schema @returns {Field[]} */
export function fieldsOf(schema) {
  return children(schema, 0).sort((a, b) => rank(a) - rank(b));
}

/** @param {Field} field */
function rank(field) {
  return field.required ? 0 : field.common ? 2 : 1;
}

/** @param {any} schema @param {number} depth @returns {Field[]} */
function children(schema, depth) {
  const required = new Set(Array.isArray(schema?.required) ? schema.required : []);
  return Object.entries(schema?.properties ?? {}).map(([name, property]) =>
    fieldOf(name, property, required.has(name), depth),
  );
}

/** @param {string} name @param {any} schema @param {boolean} required @param {number} depth @returns {Field} */
function fieldOf(name, schema, required, depth) {
  const kind = kindOf(schema, depth);
  const fallback = schema?.default === undefined ? "" : `Default ${JSON.stringify(schema.default)}`;
  return {
    name,
    kind,
    description: [schema?.description ?? "", fallback].filter((part) => part !== "").join(". "),
    required,
    common: schema?.["x-common"] === true,
    choices: kind === "choice" ? (schema.enum ?? [schema.const]) : [],
    item: kind === "list" ? fieldOf("", schema.items, true, depth + 1) : null,
    fields: kind === "object" ? children(schema, depth + 1) : [],
    minimum: typeof schema?.minimum === "number" ? schema.minimum : null,
    maximum: typeof schema?.maximum === "number" ? schema.maximum : null,
  };
}

/** @param {any} schema @param {number} depth @returns {Field["kind"]} */
function kindOf(schema, depth) {
  if (Array.isArray(schema?.enum) || schema?.const !== undefined) return "choice";
  const types = [schema?.type].flat().filter((type) => type !== "null");
  if (types.length !== 1) return "json";
  switch (types[0]) {
    case "string":
      return "text";
    case "integer":
    case "number":
    case "boolean":
      return types[0];
    case "array":
      return depth < MAX_DEPTH && typeof schema.items === "object" && kindOf(schema.items, depth + 1) !== "json"
        ? "list"
        : "json";
    case "object":
      return depth < MAX_DEPTH && Object.keys(schema.properties ?? {}).length > 0 ? "object" : "json";
    default:
      return "json";
  }
}

/**
 * Parses the text of a field. An empty text means no value, except for a required text, where it is the empty string.
 *
 * @param {Field} field
 * @param {string} input
 * @returns {{value?: unknown, problem?: string}}
 */
export function read(field, input) {
  const { kind, required } = field;
  if (input === "") {
    if (!required) return {};
    return kind === "text" ? { value: "" } : { problem: "Required." };
  }
  switch (kind) {
    case "integer":
    case "number":
      return readNumber(field, input);
    case "boolean":
      return { value: input === "true" };
    case "choice":
      return { value: field.choices.find((choice) => String(choice) === input) ?? input };
    case "json":
      return readJson(input);
    default:
      return { value: input };
  }
}

/** @param {Field} field @param {string} input */
function readNumber({ kind, minimum: minimum, maximum: maximum }, input) {
  const value = Number(input.trim());
  if (!Number.isFinite(value) || input.trim() === "") return { problem: "Enter a number." };
  if (kind === "integer" && !Number.isSafeInteger(value)) return { problem: "Enter a whole number." };
  if (minimum !== null && value < minimum) return { problem: `At least ${minimum}.` };
  if (maximum !== null && value > maximum) return { problem: `At most ${maximum}.` };
  return { value };
}

/** @param {string} input @returns {{value?: unknown, problem?: string}} */
function readJson(input) {
  try {
    return { value: JSON.parse(input) };
  } catch (error) {
    return { problem: `Invalid JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/**
 * Parses the arguments of a call from JSON.
 *
 * @param {string} input
 * @returns {{value?: Record<string, unknown>, problem?: string}}
 */
export function readArguments(input) {
  const { value, problem } = readJson(input.trim() === "" ? "{}" : input);
  if (problem !== undefined) return { problem };
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { problem: "The arguments must be a JSON object: { … }." };
  return { value: /** @type {Record<string, unknown>} */ (value) };
}

/** Returns the text of a field with this value. @param {Field} field @param {unknown} value @returns {string} */
export function write(field, value) {
  if (value === undefined || (value === null && field.kind !== "json")) return "";
  if (field.kind === "json") return JSON.stringify(value, null, 2);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

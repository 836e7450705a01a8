// @ts-check
// Fields of a form, derived from a tool's JSON Schema, and conversion of a text into a field's value. Independent of
// the page.

/**
 * One field. The type `json` is for schemas that no other type covers.
 *
 * @typedef {object} Field
 * @property {string} name
 * @property {"text" | "integer" | "number" | "boolean" | "choice" | "list" | "object" | "json"} kind
 * @property {string} about
 * @property {boolean} required
 * @property {boolean} common Every tool has it.
 * @property {unknown[]} choices Of a `choice`.
 * @property {Field | null} item Of a `list`.
 * @property {Field[]} fields Of an `object`.
 * @property {number | null} least
 * @property {number | null} most
 */

/** Objects and lists within each other that get fields of their own. */
const DEEPEST = 4;

/** The fields of a tool, those that are required first. @param {any} schema @returns {Field[]} */
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
  return Object.entries(schema?.properties ?? {}).map(([name, one]) => fieldOf(name, one, required.has(name), depth));
}

/** @param {string} name @param {any} schema @param {boolean} required @param {number} depth @returns {Field} */
function fieldOf(name, schema, required, depth) {
  const kind = kindOf(schema, depth);
  const fallback = schema?.default === undefined ? "" : `Default ${JSON.stringify(schema.default)}`;
  return {
    name,
    kind,
    about: [schema?.description ?? "", fallback].filter((part) => part !== "").join(". "),
    required,
    common: schema?.["x-common"] === true,
    choices: kind === "choice" ? (schema.enum ?? [schema.const]) : [],
    item: kind === "list" ? fieldOf("", schema.items, true, depth + 1) : null,
    fields: kind === "object" ? children(schema, depth + 1) : [],
    least: typeof schema?.minimum === "number" ? schema.minimum : null,
    most: typeof schema?.maximum === "number" ? schema.maximum : null,
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
      return depth < DEEPEST && typeof schema.items === "object" && kindOf(schema.items, depth + 1) !== "json"
        ? "list"
        : "json";
    case "object":
      return depth < DEEPEST && Object.keys(schema.properties ?? {}).length > 0 ? "object" : "json";
    default:
      return "json";
  }
}

/**
 * The text of a field. An empty text means no value, unless a text is required: then it is the empty string.
 *
 * @param {Field} field
 * @param {string} typed
 * @returns {{value?: unknown, problem?: string}}
 */
export function read(field, typed) {
  const { kind, required } = field;
  if (typed === "") {
    if (!required) return {};
    return kind === "text" ? { value: "" } : { problem: "This is required." };
  }
  switch (kind) {
    case "integer":
    case "number":
      return readNumber(field, typed);
    case "boolean":
      return { value: typed === "true" };
    case "choice":
      return { value: field.choices.find((choice) => String(choice) === typed) ?? typed };
    case "json":
      return readJson(typed);
    default:
      return { value: typed };
  }
}

/** @param {Field} field @param {string} typed */
function readNumber({ kind, least, most }, typed) {
  const value = Number(typed.trim());
  if (!Number.isFinite(value) || typed.trim() === "") return { problem: "Enter a number." };
  if (kind === "integer" && !Number.isSafeInteger(value)) return { problem: "This has to be a whole number." };
  if (least !== null && value < least) return { problem: `At least ${least}.` };
  if (most !== null && value > most) return { problem: `At most ${most}.` };
  return { value };
}

/** @param {string} typed @returns {{value?: unknown, problem?: string}} */
function readJson(typed) {
  try {
    return { value: JSON.parse(typed) };
  } catch (error) {
    return { problem: `Invalid JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** Arguments of a call, typed as JSON. @param {string} typed @returns {{value?: Record<string, unknown>, problem?: string}} */
export function readArguments(typed) {
  const { value, problem } = readJson(typed.trim() === "" ? "{}" : typed);
  if (problem !== undefined) return { problem };
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { problem: "Arguments are a JSON object: { … }." };
  return { value: /** @type {Record<string, unknown>} */ (value) };
}

/** How a value is typed into a field. @param {Field} field @param {unknown} value @returns {string} */
export function write(field, value) {
  if (value === undefined || (value === null && field.kind !== "json")) return "";
  if (field.kind === "json") return JSON.stringify(value, null, 2);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

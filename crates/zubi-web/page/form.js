// @ts-check
// A form for the arguments of a tool, generated from the fields that `schema.js` reads from its schema. The user writes
// arguments that the form does not cover as JSON.
import { fill, h, newId } from "./dom.js";
import { fieldsOf, read, readArguments, write } from "./schema.js";

/**
 * @typedef {import("./schema.js").Field} Field
 * @typedef {{value?: unknown, problem?: string}} Parsed
 * @typedef {{element: HTMLElement, read: () => Parsed, set: (value: any) => void}} Input
 */

/**
 * @param {any} schema
 * @returns {{element: HTMLElement, read: () => Record<string, unknown> | null, set: (value: any) => void}}
 */
export function makeForm(schema) {
  const fields = fieldsOf(schema);
  const inputs = fields.map(makeField);
  const json = jsonInput();
  const specific = inputs.filter((_, index) => !fields[index]?.common).map(({ element }) => element);
  const common = inputs.filter((_, index) => fields[index]?.common).map(({ element }) => element);
  const asFields = h(
    "div",
    {},
    ...specific,
    specific.length === 0 && common.length === 0 && h("p", { class: "note" }, "This tool has no arguments."),
    common.length > 0 && h("details", { class: "common" }, h("summary", {}, "Common options"), ...common),
  );
  const asJson = h("div", { hidden: true }, json.element);
  const problem = h("p", { class: "problem", role: "alert" });
  const checkbox = h("input", { type: "checkbox", onchange: () => toggle() });
  const element = h(
    "div",
    { class: "form" },
    asFields,
    asJson,
    h("label", { class: "check" }, checkbox, "Write the arguments as JSON"),
    problem,
  );

  const toggle = () => {
    // Fields and JSON show the same values.
    if (checkbox.checked) json.set(readAll(fields, inputs).value);
    else setAll(fields, inputs, json.read().value ?? {});
    asFields.hidden = checkbox.checked;
    asJson.hidden = !checkbox.checked;
  };
  return {
    element,
    read: () => {
      const { value, problem: invalid } = checkbox.checked ? json.read() : readAll(fields, inputs);
      problem.textContent = invalid ?? "";
      if (invalid !== undefined)
        /** @type {HTMLElement | null} */ (element.querySelector("[aria-invalid=true]"))?.focus();
      return invalid === undefined ? /** @type {Record<string, unknown>} */ (value) : null;
    },
    set: (value) => {
      setAll(fields, inputs, value);
      json.set(value);
    },
  };
}

/** @param {Field[]} fields @param {Input[]} inputs @returns {Parsed} */
function readAll(fields, inputs) {
  /** @type {Record<string, unknown>} */
  const value = {};
  let problem;
  for (const [index, field] of fields.entries()) {
    const entry = /** @type {Input} */ (inputs[index]).read();
    if (entry.problem !== undefined) problem ??= `${field.name}: ${entry.problem}`;
    else if (entry.value !== undefined) value[field.name] = entry.value;
  }
  return problem === undefined ? { value } : { value, problem };
}

/** @param {Field[]} fields @param {Input[]} inputs @param {any} value */
function setAll(fields, inputs, value) {
  for (const [index, field] of fields.entries()) inputs[index]?.set(value?.[field.name]);
}

/** @param {Field} field @returns {Input} */
function makeField(field) {
  if (field.kind === "object") return objectInput(field);
  if (field.kind === "list") return listInput(field);
  return simpleInput(field);
}

/** @param {Field} field @returns {Input} */
function simpleInput(field) {
  const id = newId();
  const descriptionId = newId();
  const problemId = newId();
  const shared = { id, "aria-describedby": `${descriptionId} ${problemId}`, required: field.required };
  const control = makeControl(field, shared);
  const problem = h("span", { class: "problem", id: problemId });
  const element = h(
    "div",
    { class: "field" },
    h(
      "label",
      { for: id },
      field.name === "" ? "Entry" : field.name,
      field.required && field.name !== "" && h("span", { class: "mark" }, " (required)"),
    ),
    control,
    h("span", { class: "about", id: descriptionId }, field.description),
    problem,
  );
  return {
    element,
    read: () => {
      const outcome = read(field, control.value);
      problem.textContent = outcome.problem ?? "";
      control.setAttribute("aria-invalid", String(outcome.problem !== undefined));
      return outcome;
    },
    set: (value) => {
      control.value = write(field, value);
    },
  };
}

/**
 * @param {Field} field
 * @param {Record<string, any>} shared
 * @returns {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement}
 */
function makeControl(field, shared) {
  switch (field.kind) {
    case "boolean":
    case "choice": {
      const values = field.kind === "boolean" ? ["true", "false"] : field.choices.map(String);
      return h(
        "select",
        shared,
        h("option", { value: "" }, field.required ? "Choose…" : "(not set)"),
        ...values.map((value) => h("option", { value }, value)),
      );
    }
    case "integer":
    case "number":
      return h("input", {
        ...shared,
        type: "text",
        inputmode: field.kind === "integer" ? "numeric" : "decimal",
        autocomplete: "off",
      });
    default:
      // A text may have several lines; the field grows with it.
      return h("textarea", { ...shared, rows: 1, spellcheck: "false", class: field.kind === "json" ? "json" : null });
  }
}

/** @param {Field} field @returns {Input} */
function objectInput(field) {
  const inputs = field.fields.map(makeField);
  const element = h(
    "fieldset",
    { class: "field" },
    h(
      "legend",
      {},
      field.name === "" ? "Entry" : field.name,
      field.required && field.name !== "" && h("span", { class: "mark" }, " (required)"),
    ),
    field.description !== "" && h("p", { class: "about" }, field.description),
    ...inputs.map((input) => input.element),
  );
  return {
    element,
    read: () => {
      // An empty optional group is omitted, so that the form does not enforce its required fields.
      const isEmpty = [...element.querySelectorAll("input, select, textarea")].every(
        (entry) => /** @type {any} */ (entry).value === "",
      );
      return isEmpty && !field.required ? {} : readAll(field.fields, inputs);
    },
    set: (value) => setAll(field.fields, inputs, value),
  };
}

/** @param {Field} field @returns {Input} */
function listInput(field) {
  const item = /** @type {Field} */ (field.item);
  /** @type {Input[]} */
  let inputs = [];
  const entries = h("div", { class: "entries" });
  const draw = () =>
    fill(
      entries,
      ...inputs.map((input, index) =>
        h(
          "div",
          { class: "entry" },
          input.element,
          h(
            "button",
            {
              type: "button",
              class: "quiet",
              "aria-label": `Remove entry ${index + 1} of ${field.name}`,
              onclick: () => {
                inputs = inputs.filter((entry) => entry !== input);
                draw();
                more.focus();
              },
            },
            "Remove",
          ),
        ),
      ),
    );
  const more = h(
    "button",
    {
      type: "button",
      class: "quiet",
      onclick: () => {
        const input = makeField(item);
        inputs.push(input);
        draw();
        /** @type {HTMLElement | null} */ (input.element.querySelector("input, select, textarea"))?.focus();
      },
    },
    `Add to ${field.name}`,
  );
  const element = h(
    "fieldset",
    { class: "field" },
    h("legend", {}, field.name, field.required && h("span", { class: "mark" }, " (required)")),
    field.description !== "" && h("p", { class: "about" }, field.description),
    entries,
    more,
  );
  return {
    element,
    read: () => {
      if (inputs.length === 0) return field.required ? { value: [] } : {};
      const all = inputs.map((input) => input.read());
      const problem = all.find((entry) => entry.problem !== undefined)?.problem;
      return problem === undefined ? { value: all.map(({ value }) => value) } : { problem };
    },
    set: (value) => {
      inputs = (Array.isArray(value) ? value : []).map((entry) => {
        const input = makeField(item);
        input.set(entry);
        return input;
      });
      draw();
    },
  };
}

/**
 * A field for the arguments of a call as JSON, with its error message below.
 *
 * @returns {{
 *   element: HTMLElement,
 *   read: () => {value?: Record<string, unknown>, problem?: string},
 *   set: (value: any) => void,
 * }}
 */
export function jsonInput() {
  const id = newId();
  const problemId = newId();
  const problem = h("span", { class: "problem", id: problemId, role: "status" });
  const check = () => {
    const outcome = readArguments(control.value);
    problem.textContent = outcome.problem ?? "";
    control.setAttribute("aria-invalid", String(outcome.problem !== undefined));
    return outcome;
  };
  const control = h("textarea", {
    id,
    class: "json",
    rows: 4,
    spellcheck: "false",
    "aria-describedby": problemId,
    oninput: check,
  });
  return {
    element: h("div", { class: "field" }, h("label", { for: id }, "Arguments (JSON)"), control, problem),
    read: check,
    set: (value) => {
      control.value = JSON.stringify(value ?? {}, null, 2);
    },
  };
}

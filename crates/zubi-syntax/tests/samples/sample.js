// Money.
import fs from "fs";

export const MAX = 9;
let count = 0, other = 1;
const { a, b: [, inner = 1], ...rest } = fs;

/** A rate. */
export class Rate extends Base {
  static unit = "EUR";
  #hidden = 1;
  constructor(value) { super(); this.value = value; }
  get price() { return 1; }
  async *run() {}
  static of(x) { function inner() {} return new Rate(x); }
}

function total(rates) { return rates.length; }
export default function main() {}
export function* each() {}
const twice = (x) => x * 2;
const old = function named() {};
module.exports.late = function () {};
Rate.prototype.sum = function () {};
const config = { retries: 3, load() {} };
Object.defineProperties(Rate, {
  /** Creates an event. */
  createEvent: { value: function () {} },
  plain: { enumerable: true, nested: { deep: 1 } },
  outer: { data: { a: 1 }, inner: { "quoted-key": { async load() {} }, get size() { return 1; } } },
  Kind: class { name() {} },
});

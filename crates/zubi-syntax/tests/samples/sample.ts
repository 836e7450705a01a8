export interface Priced<T> {
  readonly unit: string;
  price(): number;
  new (x: number): Priced<T>;
  (y: number): void;
  [key: string]: unknown;
}

/** A rate. */
@sealed
export abstract class Rate<T> implements Priced<T> {
  private readonly value: number = 1;
  declare other: string;
  constructor(public readonly unit: string) {}
  abstract price(): number;
  get twice(): number { return 2; }
}

export enum Kind { Fixed, Floating = 2 }
export type Rates = Rate<number>[];
export const enum Small { A }
declare function later(x: number): void;
declare const GLOBAL: number;
namespace Inside { export function run(): void {} }
declare module "x" { export const y: number; }
export const twice = (x: number): number => x * 2;
export default class {}
abstract class Plain { static { } }
describe("rates", () => {
    const local = 1;
    function helper() {}
});
export default defineComponent({ setup() {}, onClick: () => {} });
export const handlers = {
  rates: { add: (x: number): void => {}, limits: { most: 9 } },
  Local: class { constructor(public unit: string) { register({ hooks: { end() {} } }); } },
} satisfies object;

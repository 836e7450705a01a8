// Handles for items of hierarchies: the editor recognizes only the objects that it returned, so the server receives a
// number.

/** The maximum number of hierarchies. VS Code drops a hierarchy after ten newer ones and returns nothing for it. */
const MAX_HIERARCHIES = 8;
const MAX_ITEMS = 4000;

/** The most recent items, each with the number of its hierarchy. */
export class Handles {
  readonly #items = new Map<number, { item: unknown; hierarchy: number }>();
  #last = 0;
  #hierarchies = 0;

  /** Returns the handle as an extra field of the item; without `hierarchy` it begins a new one. */
  add(item: unknown, hierarchy = this.#newHierarchy()): object {
    this.#last += 1;
    this.#items.set(this.#last, { item, hierarchy });
    this.#items.delete(this.#last - MAX_ITEMS);
    return { data: { zubi: this.#last } };
  }

  #newHierarchy(): number {
    this.#hierarchies += 1;
    return this.#hierarchies;
  }

  /** Returns the object that belongs to an item's handle. */
  find(item: unknown): { item: unknown; hierarchy: number } {
    const handle = this.#items.get((item as { data?: { zubi?: number } } | undefined)?.data?.zubi ?? 0);
    if (handle && handle.hierarchy > this.#hierarchies - MAX_HIERARCHIES) return handle;
    throw new Error("the editor does not know this item any more: query its position again");
  }
}

// Items of hierarchies: the editor recognizes them only as the objects that it returned, so the server receives a
// number.

/** Handles of hierarchies and items: VS Code itself drops a hierarchy after ten others, and then returns nothing for it. */
const [MAX_HIERARCHIES, MAX_ITEMS] = [8, 4000];

/** The most recent items, each with the number of its hierarchy. */
export class Handles {
  readonly #kept = new Map<number, { item: unknown; hierarchy: number }>();
  #last = 0;
  #hierarchies = 0;

  /** Returns a handle for an object, besides its fields; without the number of a hierarchy it begins one. */
  keep(item: unknown, hierarchy = (this.#hierarchies += 1)): object {
    this.#kept.set((this.#last += 1), { item, hierarchy }).delete(this.#last - MAX_ITEMS);
    return { data: { zubi: this.#last } };
  }

  /** Returns the object of an item's handle. */
  find(item: unknown): { item: unknown; hierarchy: number } {
    const kept = this.#kept.get((item as { data?: { zubi?: number } } | undefined)?.data?.zubi ?? 0);
    if (kept && kept.hierarchy > this.#hierarchies - MAX_HIERARCHIES) return kept;
    throw new Error("the editor does not know this item any more: query its position again");
  }
}

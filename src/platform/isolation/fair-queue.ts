/** FIFO per owner. Owners take turns, so that an owner with many entries delays others by at most one entry. */
export class FairQueue<Entry> {
  private readonly byOwner = new Map<string, Entry[]>();

  constructor(private readonly maxPerOwner: number) {}

  get isEmpty(): boolean {
    return this.byOwner.size === 0;
  }

  /** Returns false if the owner already has too many entries. */
  add(owner: string, entry: Entry): boolean {
    const entries = this.byOwner.get(owner) ?? [];
    if (entries.length >= this.maxPerOwner) return false;
    entries.push(entry);
    this.byOwner.set(owner, entries);
    return true;
  }

  /** The next entry of the first eligible owner, which then moves to the end. */
  take(isEligible: (owner: string) => boolean): Entry | undefined {
    for (const [owner, entries] of this.byOwner) {
      if (!isEligible(owner)) continue;
      const entry = entries.shift();
      this.byOwner.delete(owner);
      if (entries.length) this.byOwner.set(owner, entries);
      return entry;
    }
    return undefined;
  }
}

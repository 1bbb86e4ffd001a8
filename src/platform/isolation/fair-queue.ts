/** First in, first out for each owner; owners take turns, so that one with many entries delays the others by one entry at most. */
export class FairQueue<Entry> {
  private readonly byOwner = new Map<string, Entry[]>();

  constructor(private readonly maxPerOwner: number) {}

  get isEmpty(): boolean {
    return this.byOwner.size === 0;
  }

  /** False when the owner has too many entries already. */
  add(owner: string, entry: Entry): boolean {
    const entries = this.byOwner.get(owner) ?? [];
    if (entries.length >= this.maxPerOwner) return false;
    entries.push(entry);
    this.byOwner.set(owner, entries);
    return true;
  }

  /** The next entry of the first owner in turn that is eligible; that owner goes to the end. */
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

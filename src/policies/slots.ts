let instances = 0;

/** Cedar keeps what it has parsed under a name and never forgets: names are used again, the least recently used first. */
export class Slots<T> {
  private readonly held = new Map<string, { name: string; value: T }>();
  private readonly prefix = `slots ${++instances}.`;
  private readonly free: string[];

  constructor(most: number) {
    this.free = Array.from({ length: most }, (_, index) => this.prefix + index);
  }

  find(key: string): T | undefined {
    const known = this.held.get(key);
    if (!known) return undefined;
    this.held.delete(key);
    this.held.set(key, known);
    return known.value;
  }

  /** What is kept under the key; else what `make` puts under a name. */
  get(key: string, make: (name: string) => T): T {
    const known = this.find(key);
    if (known !== undefined) return known;
    const filled = this.fill(make);
    this.held.set(key, filled);
    return filled.value;
  }

  private fill(make: (name: string) => T): { name: string; value: T } {
    const name = this.free.pop() ?? this.leastRecent();
    try {
      return { name, value: make(name) };
    } catch (error) {
      this.free.push(name);
      throw error;
    }
  }

  private leastRecent(): string {
    const [key, { name }] = this.held.entries().next().value!;
    this.held.delete(key);
    return name;
  }
}

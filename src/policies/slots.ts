let instances = 0;

/** Cedar keeps what it has parsed under a name and never forgets: names are used again, the least recently used first. */
export class Slots<T> {
  private readonly held = new Map<string, { name: string; value: T }>();
  private readonly prefix = `slots ${++instances}.`;
  private readonly free: string[];

  constructor(most: number) {
    this.free = Array.from({ length: most }, (_, index) => this.prefix + index);
  }

  /** What is kept under the key; else what `make` puts under a name. */
  get(key: string, make: (name: string) => T): T {
    const known = this.held.get(key);
    this.held.delete(key);
    const { name, value } = known ?? this.fill(make);
    this.held.set(key, { name, value });
    return value;
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

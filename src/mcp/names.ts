const ours = /^knowledge__/;

/** What a configuration's tools and prompts are called on the wire. */
export class Names {
  constructor(
    /** The short name of the one connection whose names stand alone; null: all of them begin with their connection's. */
    readonly alone: string | null,
  ) {}

  /** `<connection>__<name>`, as the gate knows it, on the wire. */
  shown(name: string): string {
    return this.alone && name.startsWith(`${this.alone}__`) ? name.slice(this.alone.length + 2) : name;
  }

  /** And back. */
  meant(shown: string): string {
    return this.alone && !ours.test(shown) ? `${this.alone}__${shown}` : shown;
  }
}

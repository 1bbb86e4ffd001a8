/** What stands behind a name or an address: whose it is, and what its owner calls it. */
export interface Meant {
  connection: string;
  name: string;
}

const scheme = 'countersign://';
const separator = '__';
const ours = 'knowledge';

/** What the parts of a configuration are called on the wire. */
export class Names {
  constructor(
    /** The short name of the one connection whose names stand alone; null: all of them begin with their connection's. */
    readonly alone: string | null,
  ) {}

  /** `<connection>__<name>`, as the gate knows it, on the wire. */
  shown(name: string): string {
    const { alone } = this;
    return alone && name.startsWith(alone + separator) ? name.slice(alone.length + separator.length) : name;
  }

  /** And back. */
  full(shown: string): string {
    return this.alone && !shown.startsWith(ours + separator) ? this.alone + separator + shown : shown;
  }

  meant(shown: string): Meant | null {
    const full = this.full(shown);
    const at = full.indexOf(separator);
    return at > 0 ? { connection: full.slice(0, at), name: full.slice(at + separator.length) } : null;
  }

  /** An address of a connected system, or the template of some, as it is; only what stands before it tells whose it is. */
  uriShown(connection: string, uri: string): string {
    return connection === this.alone ? uri : `${scheme}${connection}/${uri}`;
  }

  uriMeant(shown: string): Meant | null {
    if (this.alone && !shown.startsWith(`${scheme}${ours}/`)) return { connection: this.alone, name: shown };
    const at = shown.indexOf('/', scheme.length);
    if (!shown.startsWith(scheme) || at < 0) return null;
    return { connection: shown.slice(scheme.length, at), name: shown.slice(at + 1) };
  }
}

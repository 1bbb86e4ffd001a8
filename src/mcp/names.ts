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

  /** `<connection>__<name>`, as the gate knows it, on the wire: in full where it would stand for one of ours without. */
  shown(name: string): string {
    const { alone } = this;
    if (!alone || !name.startsWith(alone + separator)) return name;
    return this.isFull(name) ? name : name.slice(alone.length + separator.length);
  }

  /** And back. */
  full(shown: string): string {
    return this.alone && !this.isFull(shown) ? this.alone + separator + shown : shown;
  }

  meant(shown: string): Meant | null {
    const full = this.full(shown);
    const at = full.indexOf(separator);
    return at > 0 ? { connection: full.slice(0, at), name: full.slice(at + separator.length) } : null;
  }

  /**
   * An address of a connected system, or the template of some, as it is; only what stands before it tells whose it is. That
   * is never left out where the system writes its addresses as we do.
   */
  uriShown(connection: string, uri: string): string {
    return connection === this.alone && !uri.startsWith(scheme) ? uri : `${scheme}${connection}/${uri}`;
  }

  uriMeant(shown: string): Meant | null {
    if (!shown.startsWith(scheme)) return this.alone ? { connection: this.alone, name: shown } : null;
    const at = shown.indexOf('/', scheme.length);
    return at < 0 ? null : { connection: shown.slice(scheme.length, at), name: shown.slice(at + 1) };
  }

  /** One of ours, or one that would be taken for it without its connection's name, however often that stands before it. */
  private isFull(name: string): boolean {
    let rest = name;
    while (rest.startsWith(this.alone + separator)) rest = rest.slice(this.alone!.length + separator.length);
    return rest.startsWith(ours + separator);
  }
}

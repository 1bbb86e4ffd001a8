/** What stands behind a name or an address: whose it is, and what its owner calls it. */
export interface NameTarget {
  connection: string;
  name: string;
}

const scheme = 'countersign://';
const separator = '__';
const knowledgeSlug = 'knowledge';

/** What the parts of a configuration are called on the wire. */
export class WireNames {
  constructor(
    /** The short name of the one connection whose names stand alone; null: all of them begin with their connection's. */
    readonly unprefixedSlug: string | null,
  ) {}

  /** `<connection>__<name>`, as the gate knows it, on the wire: in full where it would stand for one of ours without. */
  toWireName(name: string): string {
    const { unprefixedSlug } = this;
    if (!unprefixedSlug || !name.startsWith(unprefixedSlug + separator)) return name;
    return this.isOwnName(name) ? name : name.slice(unprefixedSlug.length + separator.length);
  }

  /** And back. */
  toFullName(wireName: string): string {
    return this.unprefixedSlug && !this.isOwnName(wireName) ? this.unprefixedSlug + separator + wireName : wireName;
  }

  parseName(wireName: string): NameTarget | null {
    const full = this.toFullName(wireName);
    const at = full.indexOf(separator);
    return at > 0 ? { connection: full.slice(0, at), name: full.slice(at + separator.length) } : null;
  }

  /**
   * An address of a connected system, or the template of some, as it is; only what stands before it tells whose it is. That
   * is never left out where the system writes its addresses as we do.
   */
  toWireUri(connection: string, uri: string): string {
    return connection === this.unprefixedSlug && !uri.startsWith(scheme) ? uri : `${scheme}${connection}/${uri}`;
  }

  parseUri(wireUri: string): NameTarget | null {
    if (!wireUri.startsWith(scheme))
      return this.unprefixedSlug ? { connection: this.unprefixedSlug, name: wireUri } : null;
    const at = wireUri.indexOf('/', scheme.length);
    return at < 0 ? null : { connection: wireUri.slice(scheme.length, at), name: wireUri.slice(at + 1) };
  }

  /** One of ours, or one that would be taken for it without its connection's name, however often that stands before it. */
  private isOwnName(name: string): boolean {
    let rest = name;
    while (rest.startsWith(this.unprefixedSlug + separator))
      rest = rest.slice(this.unprefixedSlug!.length + separator.length);
    return rest.startsWith(knowledgeSlug + separator);
  }
}

/** What a name or URI refers to: its connection, and the name inside that connection. */
export interface NameTarget {
  connection: string;
  name: string;
}

const scheme = 'countersign://';
const separator = '__';
const knowledgeSlug = 'knowledge';

/** Maps names and URIs between the gate and the wire for one configuration. */
export class WireNames {
  constructor(
    /** The slug of the one connection whose names have no prefix. Null: every name starts with its connection's slug. */
    readonly unprefixedSlug: string | null,
  ) {}

  /** `name`: `<connection>__<name>`. Keeps the prefix if the short name would look like one of our own names. */
  toWireName(name: string): string {
    const { unprefixedSlug } = this;
    if (!unprefixedSlug || !name.startsWith(unprefixedSlug + separator)) return name;
    return this.isOwnName(name) ? name : name.slice(unprefixedSlug.length + separator.length);
  }

  toFullName(wireName: string): string {
    return this.unprefixedSlug && !this.isOwnName(wireName) ? this.unprefixedSlug + separator + wireName : wireName;
  }

  parseName(wireName: string): NameTarget | null {
    const full = this.toFullName(wireName);
    const at = full.indexOf(separator);
    return at > 0 ? { connection: full.slice(0, at), name: full.slice(at + separator.length) } : null;
  }

  /**
   * Adds a prefix for the connection to an upstream URI or URI template, which itself stays unchanged. The prefix is
   * never omitted if the system uses our URI scheme.
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

  /** One of our own names, or a name that looks like one after removing the prefix any number of times. */
  private isOwnName(name: string): boolean {
    let rest = name;
    while (rest.startsWith(this.unprefixedSlug + separator))
      rest = rest.slice(this.unprefixedSlug!.length + separator.length);
    return rest.startsWith(knowledgeSlug + separator);
  }
}

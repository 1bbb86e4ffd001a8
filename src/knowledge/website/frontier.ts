import type { JsonObject } from '../../platform/json/strict-json.js';

const maxVariants = 20;

export type FrontierEntry = {
  url: string;
  /** Links from the start address. */
  depth: number;
  lastModified: string | null;
  /** Redirects that led here, one after another. */
  redirects: number;
};

// type aliases, because an interface is not assignable to JsonObject
type FrontierState = {
  entries: FrontierEntry[];
  next: number;
  isSitemap: boolean;
  yielded: string[];
  redirectTargets: Record<string, number>;
};

/** The addresses of a pass in the order in which they are read. Stored as its progress. */
export class Frontier {
  readonly yielded: Set<string>;
  private readonly known: Set<string>;
  private readonly variants = new Map<string, number>();

  private constructor(
    private readonly state: FrontierState,
    private readonly maxPages: number,
  ) {
    this.yielded = new Set(state.yielded);
    this.known = new Set(state.entries.map(({ url }) => url));
    for (const url of this.known) this.countVariant(url);
  }

  static start(isSitemap: boolean, maxPages: number): Frontier {
    return new Frontier({ entries: [], next: 0, isSitemap, yielded: [], redirectTargets: {} }, maxPages);
  }

  static continue(progress: JsonObject, maxPages: number): Frontier {
    return new Frontier(structuredClone(progress) as FrontierState, maxPages);
  }

  get progress(): JsonObject {
    return structuredClone({ ...this.state, yielded: [...this.yielded] });
  }

  get isSitemap(): boolean {
    return this.state.isSitemap;
  }

  get length(): number {
    return this.state.entries.length;
  }

  /** The number of addresses that were taken. */
  get taken(): number {
    return this.state.next;
  }

  has(url: string): boolean {
    return this.known.has(url);
  }

  /** Returns false if the limit of pages, or of queries of one path, is reached. */
  add(entry: FrontierEntry): boolean {
    if (this.known.has(entry.url)) return true;
    if (this.length >= this.maxPages || !this.hasVariantLeft(entry.url)) return false;
    this.known.add(entry.url);
    this.countVariant(entry.url);
    this.state.entries.push(entry);
    return true;
  }

  take(): FrontierEntry | undefined {
    return this.state.entries[this.state.next++];
  }

  /** Counts temporary redirects to the same path. */
  countRedirect({ pathname }: URL): number {
    const count = Object.hasOwn(this.state.redirectTargets, pathname) ? this.state.redirectTargets[pathname] : 0;
    this.state.redirectTargets[pathname] = count + 1;
    return count + 1;
  }

  /** A sitemap names its pages deliberately, so only followed links are limited. */
  private hasVariantLeft(url: string): boolean {
    return this.isSitemap || !url.includes('?') || (this.variants.get(pathOf(url)) ?? 0) < maxVariants;
  }

  private countVariant(url: string): void {
    if (url.includes('?')) this.variants.set(pathOf(url), (this.variants.get(pathOf(url)) ?? 0) + 1);
  }
}

const pathOf = (url: string): string => url.split('?', 1)[0];

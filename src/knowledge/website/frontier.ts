import { z } from 'zod';
import { sha256 } from '../../platform/crypto/digest.js';
import type { JsonObject } from '../../platform/json/strict-json.js';

const maxVariants = 20;

const frontierEntry = z.object({
  url: z.string(),
  /** Links from the start address. */
  depth: z.number(),
  lastModified: z.string().nullable(),
  /** Redirects that led here, one after another. */
  redirects: z.number(),
});
export type FrontierEntry = z.infer<typeof frontierEntry>;

/** Addresses that were taken are digests, because a website can have thousands of long addresses. */
const frontierProgress = z.object({
  isSitemap: z.boolean(),
  pending: z.array(frontierEntry),
  taken: z.number(),
  known: z.array(z.string()),
  yielded: z.array(z.string()),
  variants: z.record(z.string(), z.number()),
  redirectTargets: z.record(z.string(), z.number()),
});
type FrontierProgress = z.infer<typeof frontierProgress>;

/** The addresses of a pass in the order in which they are read. Stored as its progress. */
export class Frontier {
  readonly isSitemap: boolean;
  private readonly pending: FrontierEntry[];
  private takenCount: number;
  /** Digests of all addresses. */
  private readonly known: Set<string>;
  private readonly yielded: Set<string>;
  /** The number of queries by path, and of temporary redirects by target. */
  private readonly variants: Map<string, number>;
  private readonly redirectTargets: Map<string, number>;

  private constructor(
    { isSitemap, pending, taken, known, yielded, variants, redirectTargets }: FrontierProgress,
    private readonly maxPages: number,
  ) {
    this.isSitemap = isSitemap;
    this.pending = pending;
    this.takenCount = taken;
    this.known = new Set(known);
    this.yielded = new Set(yielded);
    this.variants = new Map(Object.entries(variants));
    this.redirectTargets = new Map(Object.entries(redirectTargets));
  }

  static start(isSitemap: boolean, maxPages: number): Frontier {
    const empty = { pending: [], taken: 0, known: [], yielded: [], variants: {}, redirectTargets: {} };
    return new Frontier({ isSitemap, ...empty }, maxPages);
  }

  /** Null if the progress was stored by a version with another form. */
  static continue(progress: JsonObject | null, maxPages: number): Frontier | null {
    const read = frontierProgress.safeParse(progress);
    return read.success ? new Frontier(read.data, maxPages) : null;
  }

  get progress(): JsonObject {
    return {
      isSitemap: this.isSitemap,
      pending: this.pending.map((entry) => ({ ...entry })),
      taken: this.takenCount,
      known: [...this.known],
      yielded: [...this.yielded],
      variants: Object.fromEntries(this.variants),
      redirectTargets: Object.fromEntries(this.redirectTargets),
    };
  }

  get length(): number {
    return this.known.size;
  }

  /** The number of addresses that were taken. */
  get taken(): number {
    return this.takenCount;
  }

  get hasYielded(): boolean {
    return this.yielded.size > 0;
  }

  has(url: string): boolean {
    return this.known.has(digestOf(url));
  }

  /** Returns false if the limit of pages, or of queries of one path, is reached. */
  add(entry: FrontierEntry): boolean {
    if (this.has(entry.url)) return true;
    const variants = this.variantsOf(entry.url);
    if (this.length >= this.maxPages || (variants && !this.isSitemap && variants.count >= maxVariants)) return false;
    this.known.add(digestOf(entry.url));
    if (variants) this.variants.set(variants.path, variants.count + 1);
    this.pending.push(entry);
    return true;
  }

  take(): FrontierEntry | undefined {
    const entry = this.pending.shift();
    if (entry) this.takenCount++;
    return entry;
  }

  /** Returns false if a document with this address was yielded before. */
  markYielded(url: string): boolean {
    const digest = digestOf(url);
    if (this.yielded.has(digest)) return false;
    this.yielded.add(digest);
    return true;
  }

  /** Counts temporary redirects to the same path. */
  countRedirect({ pathname }: URL): number {
    const target = digestOf(pathname);
    const count = (this.redirectTargets.get(target) ?? 0) + 1;
    this.redirectTargets.set(target, count);
    return count;
  }

  /** The queries of the path of an address with a query. A sitemap names its pages deliberately: they are not limited. */
  private variantsOf(url: string): { path: string; count: number } | null {
    const [path, query] = url.split('?', 2);
    if (query === undefined) return null;
    const digest = digestOf(path);
    return { path: digest, count: this.variants.get(digest) ?? 0 };
  }
}

const digestOf = (text: string): string => sha256(text).toString('base64url', 0, 16);

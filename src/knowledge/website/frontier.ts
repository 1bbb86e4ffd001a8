import { z } from 'zod';
import { sha256 } from '../../platform/crypto/digest.js';
import type { JsonObject } from '../../platform/json/strict-json.js';

const maxVariants = 20;
/** All addresses together, because they are part of the stored progress. */
const maxAddressLength = 1_000_000;
const maxDateLength = 40;

export interface FrontierEntry {
  url: string;
  /** Links from the start address. */
  depth: number;
  lastModified: string | null;
  /** Redirects that led here, one after another. */
  redirects: number;
}

const storedEntry = z.tuple([z.string(), z.number(), z.string().nullable(), z.number()]);
const storedProgress = z.object({
  version: z.literal(1),
  isSitemap: z.boolean(),
  next: z.number(),
  /** Paths with queries, depths, dates and redirects. */
  entries: z.array(storedEntry),
  yielded: z.array(z.string()),
  redirects: z.array(z.tuple([z.string(), z.number()])),
});

export interface FrontierOptions {
  /** The origin of all addresses. */
  origin: string;
  isSitemap: boolean;
  maxPages: number;
}

/** The addresses of a pass in the order in which they are read. Stored as its progress. */
export class Frontier {
  readonly isSitemap: boolean;
  private readonly entries: FrontierEntry[] = [];
  private readonly known = new Set<string>();
  private readonly variants = new Map<string, number>();
  private addressLength = 0;
  private next = 0;
  /** Digests, because the progress is limited. */
  private yielded = new Set<string>();
  private redirects = new Map<string, number>();

  constructor(private readonly options: FrontierOptions) {
    this.isSitemap = options.isSitemap;
  }

  /** Null if the progress has another format. */
  static continue(progress: JsonObject, options: Omit<FrontierOptions, 'isSitemap'>): Frontier | null {
    const stored = storedProgress.safeParse(progress).data;
    if (!stored) return null;
    const frontier = new Frontier({ ...options, isSitemap: stored.isSitemap });
    for (const [path, depth, lastModified, redirects] of stored.entries)
      frontier.insert({ url: options.origin + path, depth, lastModified, redirects });
    frontier.next = stored.next;
    frontier.yielded = new Set(stored.yielded);
    frontier.redirects = new Map(stored.redirects);
    return frontier;
  }

  get progress(): JsonObject {
    const { isSitemap, next, entries, yielded, redirects, options } = this;
    const stored: z.input<typeof storedProgress> = {
      version: 1,
      isSitemap,
      next,
      entries: entries.map(({ url, depth, lastModified, redirects: count }) => [
        url.slice(options.origin.length),
        depth,
        lastModified,
        count,
      ]),
      yielded: [...yielded],
      redirects: [...redirects],
    };
    return stored;
  }

  get length(): number {
    return this.entries.length;
  }

  /** The number of addresses that were taken. */
  get taken(): number {
    return this.next;
  }

  /** The number of yielded documents. */
  get found(): number {
    return this.yielded.size;
  }

  has(url: string): boolean {
    return this.known.has(url);
  }

  /** Returns false if a limit is reached: of pages, of their addresses, or of queries of one path. */
  add(entry: FrontierEntry): boolean {
    if (this.known.has(entry.url)) return true;
    const isFull = this.length >= this.options.maxPages || this.addressLength + entry.url.length > maxAddressLength;
    if (isFull || !this.hasVariantLeft(entry.url)) return false;
    this.insert(entry);
    return true;
  }

  take(): FrontierEntry | undefined {
    return this.entries[this.next++];
  }

  /** Returns false if the document was yielded before. */
  markYielded(externalId: string): boolean {
    const mark = digestOf(externalId);
    if (this.yielded.has(mark)) return false;
    this.yielded.add(mark);
    return true;
  }

  /** Counts temporary redirects to the same path. */
  countRedirect({ pathname }: URL): number {
    const target = digestOf(pathname);
    const count = (this.redirects.get(target) ?? 0) + 1;
    this.redirects.set(target, count);
    return count;
  }

  private insert(entry: FrontierEntry): void {
    this.known.add(entry.url);
    this.addressLength += entry.url.length;
    if (entry.url.includes('?')) this.variants.set(pathOf(entry.url), (this.variants.get(pathOf(entry.url)) ?? 0) + 1);
    this.entries.push({ ...entry, lastModified: entry.lastModified?.slice(0, maxDateLength) ?? null });
  }

  /** A sitemap names its pages deliberately, so only followed links are limited. */
  private hasVariantLeft(url: string): boolean {
    return this.isSitemap || !url.includes('?') || (this.variants.get(pathOf(url)) ?? 0) < maxVariants;
  }
}

const pathOf = (url: string): string => url.split('?', 1)[0];
const digestOf = (text: string): string => sha256(text).toString('base64url', 0, 12);

import { z } from 'zod';
import type { JsonObject } from '../../platform/json/strict-json.js';

const pageVersion = z.object({
  /** The entity tag of the response. If it has none, `lastModified` is set. */
  etag: z.string().optional(),
  lastModified: z.string().optional(),
  mediaType: z.string(),
  title: z.string(),
  fingerprint: z.string(),
  updatedAt: z.string().nullable(),
  canonical: z.string().nullable(),
});
/** The version of a page that was read, and the parts of its document that do not need the text. */
export type PageVersion = z.output<typeof pageVersion>;

/** Increase it when titles or fingerprints of pages are determined differently. */
const formatVersion = 1;
const storedVersions = z.object({ version: z.literal(formatVersion), pages: z.record(z.string(), pageVersion) });

const maxTotalLength = 4 * 2 ** 20;
const maxValidatorLength = 200;
/** A page can change twice within the precision of `Last-Modified` (RFC 9110, section 8.8.2.2). */
const minAgeMs = 60_000;

/** The headers of a response with which a later request can be conditional. */
type Validators = Pick<PageVersion, 'etag' | 'lastModified'>;

/** The versions of pages for conditional requests. Stored between passes as their cursor. */
export class PageVersions {
  private readonly pages: Map<string, PageVersion>;

  /** Without versions in this format, all requests are unconditional. */
  constructor(cursor: JsonObject | null) {
    const stored = storedVersions.safeParse(cursor).data;
    this.pages = new Map(Object.entries(stored?.pages ?? {}));
  }

  find(url: string): PageVersion | undefined {
    return this.pages.get(url);
  }

  /** Replaces the version of a page. Undefined if it cannot be requested conditionally. */
  set(url: string, version: PageVersion | undefined): void {
    if (version && isStorable(version.title)) this.pages.set(url, version);
    else this.pages.delete(url);
  }

  /** The versions of these pages, up to a maximum length. */
  cursor(isOfPass: (url: string) => boolean): JsonObject {
    const pages: Record<string, PageVersion> = {};
    let length = 0;
    for (const [url, version] of this.pages) {
      if (!isOfPass(url)) continue;
      length += url.length + JSON.stringify(version).length;
      if (length > maxTotalLength) break;
      pages[url] = version;
    }
    return { version: formatVersion, pages };
  }
}

/** The database stores neither null characters nor half surrogate pairs in JSON. */
const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** Null if the response has no validator that identifies its version. */
export function validatorsOf(headers: Headers): Validators | null {
  const etag = headers.get('etag')?.trim();
  if (etag && etag.length <= maxValidatorLength) return { etag };
  const lastModified = headers.get('last-modified')?.trim();
  if (!lastModified || lastModified.length > maxValidatorLength) return null;
  const age = Date.parse(headers.get('date') ?? '') - Date.parse(lastModified);
  return age >= minAgeMs ? { lastModified } : null;
}

export function conditionsOf({ etag, lastModified }: Validators): Record<string, string> {
  if (etag !== undefined) return { 'if-none-match': etag };
  return lastModified === undefined ? {} : { 'if-modified-since': lastModified };
}

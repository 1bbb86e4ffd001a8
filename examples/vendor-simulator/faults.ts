import { Refusal, wrongKey } from './asked.ts';

/** How the vendor fails or surprises, switched on by a test. Several may be on at once. */
export interface Fault {
  kind: FaultKind;
  /** Beginning of the paths that are meant; omitted: all. */
  on?: string;
  /** So many requests go well before. */
  after?: number;
  /** How often; omitted: until switched off. */
  times?: number;
  /** Of `error`: 500 when omitted. Of `slow`: milliseconds, 1000 when omitted. Of `limited`: seconds to wait, not told when omitted. */
  status?: number;
  ms?: number;
  retryAfter?: number | string;
}

/** Who the key turns out to belong to. */
const refusals = ['revoked-key', 'member-key', 'business-plan', 'missing-scope'] as const;
const failures = [
  'error', // a documented error body with `status`
  'html', // a page of something in front
  'half', // the answer breaks off in mid-JSON, and claims to be whole
  'cut', // the connection does
  'huge', // ten megabytes
  'hang',
  'slow',
  'limited', // 429
  'redirect', // to another host
] as const;
const bends = [
  'renamed-fields', // a count has another name
  'added-fields', // fields and whole lists that nobody has heard of
  'wrong-types', // in every third row a count is a text, an object, a fraction or a list
  'negative', // in every third row a count is below zero
  'odd-emails', // upper case, plus-tags, decomposed letters, spaces around
  'repeated-rows', // a page begins with the last row of the page before
  'same-page', // every page is the first one again
  'shifting-pages', // an event arrives between two pages
  'lists-removed', // members who left are listed, marked as removed
] as const;

export type FaultKind = (typeof refusals)[number] | (typeof failures)[number] | (typeof bends)[number];
export const faultKinds: readonly FaultKind[] = [...refusals, ...failures, ...bends];

export class Faults {
  private active: Fault[] = [];

  add(...faults: Fault[]): void {
    for (const fault of faults) this.active.push({ ...fault });
  }

  clear(): void {
    this.active = [];
  }

  /** The faults of one request, which count it. */
  of(path: string): Fault[] {
    const meant = this.active.filter(({ on }) => !on || path.startsWith(on));
    const due = meant.filter((fault) => !fault.after || fault.after-- <= 0);
    for (const fault of due) if (fault.times !== undefined) fault.times--;
    this.active = this.active.filter(({ times }) => times === undefined || times > 0);
    return due;
  }
}

/** What the vendor answers to a key that may not. Its status alone does not tell why. */
export function refusalOf(faults: Fault[], path: string): Refusal | undefined {
  const kinds = new Set(faults.map(({ kind }) => kind));
  if (kinds.has('revoked-key')) return wrongKey();
  if (kinds.has('member-key')) return new Refusal(401, { code: 'error', message: 'Invalid Team API Key' });
  if (kinds.has('missing-scope'))
    return new Refusal(401, { code: 'error', message: 'API key missing required scope: admin:*' });
  if (kinds.has('business-plan') && path.startsWith('/analytics/')) return new Refusal(401, enterpriseOnly);
  return undefined;
}

const enterpriseOnly = {
  code: 'error',
  message: 'You must be a member of an enterprise team to access this resource',
};

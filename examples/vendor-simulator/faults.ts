import { Refusal, wrongKey } from './asked.ts';

/** A fault that a test enables. Several can be active at once. */
export interface Fault {
  kind: FaultKind;
  /** Path prefix; omitted: all paths. */
  on?: string;
  /** The number of requests that succeed first. */
  after?: number;
  /** How often; omitted: until `clear`. */
  times?: number;
  /**
   * `status` of `error`, default 500; `ms` of `slow`, default 1000; `retryAfter` of `limited` in seconds, default none.
   */
  status?: number;
  ms?: number;
  retryAfter?: number | string;
}

/** Keys without access. */
const refusals = ['revoked-key', 'member-key', 'business-plan', 'missing-scope'] as const;
const failures = [
  'error', // a documented error body with `status`
  'html', // a page of a proxy
  'half', // truncated JSON in a complete response
  'cut', // a closed connection
  'huge', // ten megabytes
  'hang',
  'slow',
  'limited', // 429
  'redirect', // to another host
] as const;
const bends = [
  'renamed-fields', // a count has another name
  'added-fields', // undocumented fields and lists
  'wrong-types', // in every third row a count is a string, an object, a fraction, a list or a Boolean
  'negative', // in every third row a count is negative
  'odd-emails', // upper case, plus-tags, decomposed letters, spaces around
  'repeated-rows', // a page repeats the last row of the previous page
  'same-page', // every page is the first page
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

  /** Returns the faults of a request and counts it. */
  of(path: string): Fault[] {
    const meant = this.active.filter(({ on }) => !on || path.startsWith(on));
    const due = meant.filter((fault) => !fault.after || fault.after-- <= 0);
    for (const fault of due) if (fault.times !== undefined) fault.times--;
    this.active = this.active.filter(({ times }) => times === undefined || times > 0);
    return due;
  }
}

/** The response to a key without access. The status alone does not reveal the reason. */
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

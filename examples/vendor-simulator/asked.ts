import type { FaultKind } from './faults.ts';
import { dayLength, dayOf, daysAfter, startOf } from './ledger/days.ts';
import type { Day } from './ledger/days.ts';
import type { Ledger } from './ledger/ledger.ts';

/** A request, and the data for its response. */
export interface Asked {
  path: string;
  query: URLSearchParams;
  body: Record<string, unknown>;
  ledger: Ledger;
  kinds: Set<FaultKind>;
  /** The oldest day that the vendor still returns. */
  oldest: Day;
}

/** An error response in the vendor's format. */
export class Refusal extends Error {
  readonly status: number;
  readonly body: object;

  constructor(status: number, body: object) {
    super('refused');
    this.status = status;
    this.body = body;
  }
}

export const badRequest = (message: string) => new Refusal(400, { error: 'Bad Request', message });
export const wrongKey = () => new Refusal(401, { error: 'Unauthorized', message: 'Invalid API key' });
export const notFound = () => new Refusal(404, { error: 'Not Found', message: 'Resource not found' });
const broken = () => new Refusal(500, { error: 'Internal Server Error', message: 'An unexpected error occurred' });

const longest = 30 * dayLength;

/** `startDate` and `endDate` in milliseconds, both inclusive. A string instead of a number makes the vendor fail. */
export function period({ body, oldest }: Asked): { startDate: number; endDate: number; start: number } {
  const { startDate, endDate } = body;
  if (typeof startDate !== 'number' || typeof endDate !== 'number') throw broken();
  if (endDate < startDate) throw badRequest('endDate must be after startDate');
  if (endDate - startDate > longest) throw badRequest('Date range cannot exceed 30 days');
  return { startDate, endDate, start: Math.max(startDate, startOf(oldest)) };
}

/** `startDate` and `endDate` in the formats of the Analytics API: days, or `today`, `yesterday`, `7d`. */
export function days({ query, ledger, oldest }: Asked): { startDate: Day; endDate: Day; from: Day } {
  const startDate = asDay(query.get('startDate') ?? '7d', ledger.today);
  const endDate = asDay(query.get('endDate') ?? 'today', ledger.today);
  if (endDate < startDate) throw badRequest('endDate must be after startDate');
  if (startOf(endDate) - startOf(startDate) > longest) throw badRequest('Date range cannot exceed 30 days');
  return { startDate, endDate, from: startDate < oldest ? oldest : startDate };
}

function asDay(text: string, today: Day): Day {
  if (text === 'today' || text === 'now') return today;
  if (text === 'yesterday') return daysAfter(today, -1);
  const back = /^(\d{1,3})d$/.exec(text)?.[1];
  if (back) return daysAfter(today, -Number(back));
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw badRequest(`Invalid date: ${text}`);
  return dayOf(at);
}

/** `page` from 1 and `pageSize`, from the body or the query. */
export function paging(given: { page: unknown; pageSize: unknown }, { usual, most }: { usual: number; most: number }) {
  const page = given.page == null ? 1 : Number(given.page);
  const pageSize = given.pageSize == null ? usual : Number(given.pageSize);
  if (!Number.isInteger(page) || page < 1) throw badRequest('page must be a positive integer');
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > most)
    throw badRequest(`pageSize must be between 1 and ${most}`);
  return { page, pageSize, skip: (page - 1) * pageSize };
}

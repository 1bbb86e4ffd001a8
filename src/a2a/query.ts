import type { Request } from 'express';
import { z } from 'zod';
import { invalidRequest } from '../platform/errors/general.error.js';
import { parseBody } from '../platform/http/read-json.js';
import { taskStates } from '../tasks/task.entity.js';

export type QueryParameters = Record<string, unknown>;

const integerBetween = (from: number, to: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'has to be a whole number')
    .transform(Number)
    .pipe(z.number().min(from).max(to));

const listQuery = z.object({
  state: z.enum(taskStates, `has to be one of ${taskStates.join(', ')}`).optional(),
  limit: integerBetween(1, 100).default(50),
  cursor: z.string().max(200).optional(),
});
export const readListQuery = (query: QueryParameters) => parseBody(listQuery, query);

const historyQuery = z.object({ historyLength: integerBetween(0, 1000).optional() });
export const readHistoryLength = (query: QueryParameters): number | undefined =>
  parseBody(historyQuery, query).historyLength;

/** The number of the last event that the client received (HTML standard, section 9.2.4). */
export function lastEventId(request: Request): number | undefined {
  const given = request.get('Last-Event-ID');
  if (given === undefined || given === '') return undefined;
  if (!/^\d{1,9}$/.test(given)) {
    throw invalidRequest('Last-Event-ID is the number of an event.', {
      errors: [{ pointer: '/Last-Event-ID', detail: 'not a number' }],
    });
  }
  return Number(given);
}

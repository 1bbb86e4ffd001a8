import { describe, expect, it } from 'vitest';
import { APICallError } from 'ai';
import { OutboundHttpError } from '../../platform/http/outbound-http.error.js';
import { explainModelError, retryAfter, ModelTimeout } from './model-errors.js';

const answered = (statusCode: number, responseHeaders: Record<string, string> = {}) =>
  new APICallError({ message: 'secret of the vendor', url: '', requestBodyValues: {}, statusCode, responseHeaders });
const now = Date.parse('2026-01-01T00:00:00Z');

describe('retryAfter', () => {
  it.each<[string, unknown, number, number | null]>([
    ['seconds', answered(429, { 'retry-after': '2' }), 0, 2000],
    ['a date', answered(503, { 'retry-after': 'Thu, 01 Jan 2026 00:00:07 GMT' }), 0, 7000],
    ['a past date', answered(503, { 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }), 0, 0],
    ['milliseconds', answered(429, { 'retry-after-ms': '150', 'retry-after': '9' }), 0, 150],
    ['a wait that is too long', answered(429, { 'retry-after': '3600' }), 0, null],
    ['an invalid value', answered(429, { 'retry-after': 'soon' }), 0, 1000],
    ['no wait, first attempt', answered(500), 0, 1000],
    ['no wait, second attempt', answered(500), 1, 3000],
    ['no wait, third attempt', answered(500), 2, null],
    ['a permanent error', answered(401), 0, null],
    ['a timeout', new ModelTimeout(), 0, null],
    ['a broken connection', new TypeError('terminated'), 0, 1000],
    ['a refused address', new OutboundHttpError('address-refused', 'a', false), 0, null],
    ['an unreachable server', new OutboundHttpError('connect-failed', 'a', false), 0, 1000],
  ])('handles %s', (_, error, attempt, wait) => expect(retryAfter(error, attempt, now)).toBe(wait));
});

it.each([400, 401, 404, 429, 500, 503])('explainModelError does not reveal the vendor’s message (%d)', (status) => {
  expect(explainModelError(answered(status))).toMatch(/^The language model .*\.$/);
  expect(explainModelError(answered(status))).not.toContain('secret');
});

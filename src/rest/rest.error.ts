import { defineProblem } from '../platform/errors/problem.js';

export const idempotencyKeyReused = defineProblem({
  code: 'idempotency-key-reused',
  status: 422,
  title: 'Idempotency key already used',
  explain:
    'An Idempotency-Key identifies one request: the same method, URL and body, byte for byte. This key was used with a different request. Use a new key for a new request.',
});
export const idempotencyKeyBusy = defineProblem({
  code: 'idempotency-key-busy',
  status: 409,
  title: 'Request in progress',
  explain:
    'A request with this Idempotency-Key is still being processed. Send it again after "Retry-After" seconds to get the same response.',
});

import { defineProblem } from '../platform/errors/problem.js';

export const idempotencyKeyReused = defineProblem({
  code: 'idempotency-key-reused',
  status: 422,
  title: 'The key belongs to another request',
  explain:
    'An Idempotency-Key names one request: the same method, address and body, byte for byte. It was used before with another one. Take a new key for a new request.',
});
export const idempotencyKeyBusy = defineProblem({
  code: 'idempotency-key-busy',
  status: 409,
  title: 'The request is being carried out',
  explain:
    'A request with this Idempotency-Key has come in and is not answered yet. Send it again after "Retry-After" seconds: the answer is the same.',
});

import { expect, it } from 'vitest';
import { serializeError } from './logged-error.js';

class DatabaseFailure extends Error {
  code = '42501';
  client = { password: 'secret', connectionParameters: {} };
  parameters = ['content'];
}

it('logs type, message, stack, code and cause of an error, and no other properties', () => {
  const logged = serializeError(new DatabaseFailure('permission denied', { cause: new DatabaseFailure('before') }));
  expect(logged).toEqual({
    type: 'DatabaseFailure',
    message: 'permission denied',
    stack: expect.stringContaining('logged-error.spec'),
    code: '42501',
    cause: { type: 'DatabaseFailure', message: 'before', stack: expect.any(String), code: '42501' },
  });
  expect(JSON.stringify(logged)).not.toMatch(/secret|content/);
});

it('handles thrown values that are not errors, and circular causes', () => {
  expect(serializeError('gone')).toBe('gone');
  expect(serializeError({ password: 'secret' })).toEqual({ type: 'object' });
  const circle = new Error('round');
  circle.cause = circle;
  expect(JSON.stringify(serializeError(circle))).toContain('round');
});

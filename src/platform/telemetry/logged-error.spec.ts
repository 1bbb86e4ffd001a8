import { expect, it } from 'vitest';
import { serializeError } from './logged-error.js';

class Refused extends Error {
  code = '42501';
  client = { password: 'secret', connectionParameters: {} };
  parameters = ['content'];
}

it('keeps what an error says, and nothing that hangs on it', () => {
  const logged = serializeError(new Refused('permission denied', { cause: new Refused('before') }));
  expect(logged).toEqual({
    type: 'Refused',
    message: 'permission denied',
    stack: expect.stringContaining('logged-error.spec'),
    code: '42501',
    cause: { type: 'Refused', message: 'before', stack: expect.any(String), code: '42501' },
  });
  expect(JSON.stringify(logged)).not.toMatch(/secret|content/);
});

it('takes what is thrown without being an error', () => {
  expect(serializeError('gone')).toBe('gone');
  expect(serializeError({ password: 'secret' })).toEqual({ type: 'object' });
  const circle = new Error('round');
  circle.cause = circle;
  expect(JSON.stringify(serializeError(circle))).toContain('round');
});

import { describe, expect, it } from 'vitest';
import { isGuessedSecret } from './guessed-secret.js';

describe('isGuessedSecret', () => {
  it.each(['password', 'payment.apiKey', 'headers["X-Token"]', 'credentials.user', 'tokens[2]'])(
    'is true for "%s"',
    (path) => expect(isGuessedSecret(path)).toBe(true),
  );

  it.each(['title', 'amount', 'items[0].note', ''])('is false for "%s"', (path) =>
    expect(isGuessedSecret(path)).toBe(false),
  );

  it.each(['iban', 'payment.iban', 'secret.url', 'to', 'apiKeyEndpoint', 'tokens.recipient'])(
    'is false for a destination: "%s"',
    (path) => expect(isGuessedSecret(path)).toBe(false),
  );
});

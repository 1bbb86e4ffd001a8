import { describe, expect, it } from 'vitest';
import { isGuessedSecret } from './guessed-secret.js';

describe('what an approver has to uncover first', () => {
  it.each(['password', 'payment.apiKey', 'headers["X-Token"]', 'credentials.user', 'tokens[2]'])('is "%s"', (path) =>
    expect(isGuessedSecret(path)).toBe(true),
  );

  it.each(['title', 'amount', 'items[0].note', ''])('is not "%s"', (path) => expect(isGuessedSecret(path)).toBe(false));

  it.each(['iban', 'payment.iban', 'secret.url', 'to', 'apiKeyEndpoint', 'tokens.recipient'])(
    'is never where something goes: "%s"',
    (path) => expect(isGuessedSecret(path)).toBe(false),
  );
});

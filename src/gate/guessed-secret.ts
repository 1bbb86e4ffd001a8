import { isSecretFieldName } from './redaction.js';

/* Guesses from the name of a value whether to hide it at first. Destinations are never hidden. */

const destinationName =
  /url|uri|host|domain|address|e-?mail|recipient|receiver|channel|account|iban|payee|phone|webhook|endpoint|target|^(to|cc|bcc)$/i;

/** `path`: for example "payment.apiKey", "headers["X-Token"]" or "keys[2]". */
export function isGuessedSecret(path: string): boolean {
  const names = path.split(/[.[\]"]+/).filter((name) => name && !/^\d+$/.test(name));
  return names.some(isSecretFieldName) && !destinationName.test(names.at(-1) ?? '');
}

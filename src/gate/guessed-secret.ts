import { isSecretFieldName } from '../platform/secrets/field-names.js';

/* The console hides these values until the approver reveals them. Guesses by the name. Never hides a destination. */

const destinationName =
  /url|uri|host|domain|address|e-?mail|recipient|receiver|channel|account|iban|payee|phone|webhook|endpoint|target|^(to|cc|bcc)$/i;

/** `path`: for example "payment.apiKey", "headers["X-Token"]" or "keys[2]". */
export function isGuessedSecret(path: string): boolean {
  const names = path.split(/[.[\]"]+/).filter((name) => name && !/^\d+$/.test(name));
  return names.some(isSecretFieldName) && !destinationName.test(names.at(-1) ?? '');
}

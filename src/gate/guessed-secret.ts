import { isSecretFieldName } from './redaction.js';

/* What is hidden at first is a guess, by the name of the value. Where something goes is never hidden. */

const destinationName =
  /url|uri|host|domain|address|e-?mail|recipient|receiver|channel|account|iban|payee|phone|webhook|endpoint|target|^(to|cc|bcc)$/i;

/** `path`: "payment.apiKey", "headers["X-Token"]", "keys[2]". */
export function isGuessedSecret(path: string): boolean {
  const names = path.split(/[.[\]"]+/).filter((name) => name && !/^\d+$/.test(name));
  return names.some(isSecretFieldName) && !destinationName.test(names.at(-1) ?? '');
}

import { hashPassword } from '../platform/crypto/passwords.js';
import { invalidRequest } from '../platform/errors/general.error.js';
import { passwordFault } from './password-rules.js';

/**
 * Throws `invalid-request` if a new password is too weak. `personal`: names and addresses that it must not consist of.
 */
export function requireStrongPassword(password: string, personal: readonly string[]): void {
  const fault = passwordFault(password, personal);
  if (fault) throw invalidRequest(`The password ${fault}.`, { errors: [{ pointer: '/password', detail: fault }] });
}

/** The stored form of a new password. Throws like `requireStrongPassword`. */
export async function hashNewPassword(password: string, personal: readonly string[]): Promise<string> {
  requireStrongPassword(password, personal);
  return hashPassword(password);
}

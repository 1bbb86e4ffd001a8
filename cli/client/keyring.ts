import { createRequire } from 'node:module';
import { environment } from '../environment.js';

/* The keyring of the operating system, by the optional package @napi-rs/keyring. */

interface KeyringEntry {
  getPassword(): string | null;
  setPassword(password: string): void;
  deletePassword(): boolean;
}
type KeyringPackage = { Entry: new (service: string, account: string, options: object) => KeyringEntry };

const service = 'countersign';
/** The other store of Linux, in the kernel, forgets everything when the machine restarts. */
const options = { linux: { store: 'secret-service' } };

/** Null: not installed on this platform, disabled, or locked. */
function open(account: string): KeyringEntry | null {
  if (environment.isKeyringDisabled()) return null;
  try {
    const { Entry } = createRequire(import.meta.url)('@napi-rs/keyring') as KeyringPackage;
    return new Entry(service, account, options);
  } catch {
    return null;
  }
}

export function readKeyring(account: string): string | null {
  try {
    return open(account)?.getPassword() ?? null;
  } catch {
    return null;
  }
}

/** False: there is no keyring that stores it. Verified by reading, because some keyrings forget at once. */
export function writeKeyring(account: string, secret: string): boolean {
  try {
    open(account)?.setPassword(secret);
    return readKeyring(account) === secret;
  } catch {
    return false;
  }
}

export function deleteFromKeyring(account: string): void {
  try {
    open(account)?.deletePassword();
  } catch {
    // it was not there
  }
}

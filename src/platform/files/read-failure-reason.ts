import { getSystemErrorMap } from 'node:util';

/** Why an entry of a folder could not be read. Completes "the file …" and is for people. */
export function readFailureReason(error: unknown): string {
  const { code, errno, message } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') return 'cannot be read: permission denied';
  if (code === 'ENOENT') return 'was removed during the scan';
  if (code === 'ELOOP') return 'was replaced by a link during the scan';
  // the message of a system error also contains the path, which may be hostile or secret
  const [, description] = getSystemErrorMap().get(errno ?? 0) ?? [];
  return `could not be read: ${description ?? message}`;
}

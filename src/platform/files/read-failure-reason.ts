/** Why an entry of a folder could not be read. Completes "the file …" and is for people. */
export function readFailureReason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') return 'cannot be read: permission denied';
  if (code === 'ENOENT') return 'was removed during the scan';
  if (code === 'ELOOP') return 'was replaced by a link during the scan';
  return `could not be read: ${message}`;
}

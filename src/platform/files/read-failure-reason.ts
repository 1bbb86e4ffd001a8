/** Why an entry of a folder could not be read, in words. */
export function readFailureReason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') return 'may not be read by the server';
  if (code === 'ENOENT') return 'vanished while it was read';
  if (code === 'ELOOP') return 'became a link while it was read';
  return `could not be read: ${message}`;
}

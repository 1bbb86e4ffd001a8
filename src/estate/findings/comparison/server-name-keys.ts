/**
 * Normalized names of a server, to compare declared names with those that a vendor reports: vendors change case and
 * spaces, and may add the scope ("user-github").
 */
export function serverNameKeys(name: string): string[] {
  const key = name
    .normalize('NFKC')
    .trim()
    .toLowerCase()
    .replace(/[\s_.-]+/g, '-');
  const [, bare] = /^(?:user|project)-(.+)$/.exec(key) ?? [];
  return bare ? [key, bare] : [key];
}

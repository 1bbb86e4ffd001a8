/**
 * One spelling of a server's name, by which what a file declares and what a vendor counted are compared: vendors change cases
 * and blanks, and may say whose it is ("user-github").
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

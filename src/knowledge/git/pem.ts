const lineLength = 64;

/**
 * The first PEM block whose label ends with this text; null if there is none. Restores the line breaks, which single-line
 * form fields remove.
 */
export function pemOf(text: string, label: string): string | null {
  const begin = new RegExp(`-----BEGIN ((?:[A-Z]+ ){0,2}${label})-----`).exec(text);
  if (!begin) return null;
  const end = `-----END ${begin[1]}-----`;
  const from = begin.index + begin[0].length;
  const until = text.indexOf(end, from);
  const body = text.slice(from, until).replace(/\s+/g, '');
  if (until < 0 || !/^[A-Za-z\d+/]+=*$/.test(body)) return null;
  const lines = body.match(new RegExp(`.{1,${lineLength}}`, 'g')) ?? [];
  return [begin[0], ...lines, end, ''].join('\n');
}

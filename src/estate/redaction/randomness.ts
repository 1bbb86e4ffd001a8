/** Runs that nobody types by hand: as long and as mixed as keys are. Words, names, versions and paths are none. */
const run = /[A-Za-z0-9+]{16,}/g;
const hexadecimal = /(?<![A-Za-z0-9])[0-9a-fA-F]{32,}(?![A-Za-z0-9])/g;
export const uuid = /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi;

/** Replaces what looks drawn by lot, the whole word around it. Digests that name what is fetched do not count. */
export const replaceRandom = (text: string, replace: (piece: string) => string): string =>
  text.replace(/[A-Za-z0-9+/=_-]{16,}/g, (word) => {
    if (word.search(hexadecimal) !== -1) return word.replace(hexadecimal, replace);
    const judged = (part: string) => (isRandom(part.replaceAll(uuid, '')) ? replace(part) : part);
    // a path: judged name by name
    const names = word.split('/');
    return names.length > 3 ? names.map(judged).join('/') : judged(word);
  });

function isRandom(word: string): boolean {
  const runs = word.match(run) ?? [];
  // base64url has "-" and "_" anywhere, words have them between words
  const parts = word.split(/[-_]/);
  const mixedParts = parts.filter((part) => isMixed(part) && part.length >= 6);
  return (
    runs.some((one) => isMixed(one) && entropy(one) >= 3) || (mixedParts.join('').length >= 20 && entropy(word) >= 3.8)
  );
}

/** Upper and lower case with digits among them, or digits strewn between letters. */
function isMixed(text: string): boolean {
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/].filter((kind) => kind.test(text)).length;
  const changes = (text.match(/(?<=[a-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])|(?<=[A-Z])(?=[0-9])/g) ?? []).length;
  return kinds === 3 ? changes >= 1 : kinds === 2 && changes >= 4;
}

/** Shannon's, in bits per character. */
function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0);
}

/** Candidates for random strings. Keys are long and mixed; words, names, versions and paths are not. */
const run = /[A-Za-z0-9+]{16,}/g;
const hexadecimal = /(?<![A-Za-z0-9])[0-9a-fA-F]{32,}(?![A-Za-z0-9])/g;
export const uuid = /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi;

/** Replaces each word that looks random. Digests that identify code are not included. */
export const replaceRandom = (text: string, replace: (piece: string) => string): string =>
  text.replace(/[A-Za-z0-9+/=_-]{16,}/g, (word) => {
    if (word.search(hexadecimal) !== -1) return word.replace(hexadecimal, replace);
    const replaceIfRandom = (part: string) => (isRandom(part.replaceAll(uuid, '')) ? replace(part) : part);
    // check each name of a path separately
    const names = word.split('/');
    return names.length > 3 ? names.map(replaceIfRandom).join('/') : replaceIfRandom(word);
  });

function isRandom(word: string): boolean {
  const runs = word.match(run) ?? [];
  // base64url contains "-" and "_" anywhere, other text only between words
  const parts = word.split(/[-_]/);
  const mixedParts = parts.filter((part) => isMixed(part) && part.length >= 6);
  return (
    runs.some((one) => isMixed(one) && entropy(one) >= 3) || (mixedParts.join('').length >= 20 && entropy(word) >= 3.8)
  );
}

/** Upper and lower case with digits, or digits scattered between letters. */
function isMixed(text: string): boolean {
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/].filter((kind) => kind.test(text)).length;
  const changes = (text.match(/(?<=[a-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])|(?<=[A-Z])(?=[0-9])/g) ?? []).length;
  return kinds === 3 ? changes >= 1 : kinds === 2 && changes >= 4;
}

/** Shannon entropy in bits per character. */
function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0);
}

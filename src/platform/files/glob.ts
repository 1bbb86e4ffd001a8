const pieces = /\\([\s\S])|(\*+)|(\?)|\[([!^]?)(\]?(?:\\[\s\S]|[^\]\\])*)\]|([\s\S])/gu;

const any: unique symbol = Symbol('*');
/** A star, or what a single letter has to be. */
type Piece = typeof any | ((letter: string) => boolean);

/** A pattern for one name between two slashes: `*`, `?`, `[…]` and `\\`. null: a broken class such as "[z-a]", which matches nothing. */
export function readGlob(text: string): Piece[] | null {
  const read: Piece[] = [];
  for (const [, escaped, stars, one, negation, members, letter] of text.matchAll(pieces)) {
    if (stars) read.push(any);
    else if (one) read.push(() => true);
    else if (members !== undefined) {
      const inside = readClass(members);
      if (!inside) return null;
      read.push((found) => inside.test(found) !== Boolean(negation));
    } else read.push((found) => found === (escaped ?? letter));
  }
  return read;
}

/** In time that grows with the product of the two lengths, whatever the pattern. */
export function matches(glob: readonly Piece[], name: string): boolean {
  const letters = [...name];
  let at = 0;
  let g = 0;
  let star = -1;
  let resume = 0;
  while (at < letters.length) {
    const piece = glob[g];
    if (piece === any) {
      star = g++;
      resume = at;
    } else if (piece?.(letters[at])) {
      g++;
      at++;
    } else if (star !== -1) {
      // the last star takes one letter more; what stands before it has its match already
      g = star + 1;
      at = ++resume;
    } else return false;
  }
  while (glob[g] === any) g++;
  return g === glob.length;
}

function readClass(members: string): RegExp | null {
  try {
    return new RegExp(`^[${members.replace(/[[\]^]/g, '\\$&').replace(/\\\\([[\]^])/g, '\\$1')}]$`, 'su');
  } catch {
    return null;
  }
}

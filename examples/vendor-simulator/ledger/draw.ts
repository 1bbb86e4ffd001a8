const mixed = (hash: number): number => {
  let h = hash;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
};

/**
 * A whole number in [0, 2³²) that depends on its arguments alone (the finalizer of MurmurHash3 over each of them). Because
 * nothing depends on what was drawn before, any row of the ledger can be made again without making the others.
 */
export function draw(seed: number, a: number, b = 0, c = 0): number {
  return mixed(mixed(mixed(mixed(seed + 0x9e3779b9) + a) + Math.imul(b, 0x27d4eb2f)) + Math.imul(c, 0x165667b1));
}

/** From `list`, each entry as often as the others. */
export const pick = <T>(list: readonly T[], drawn: number): T => list[drawn % list.length];

/** A count that is mostly small and sometimes large. */
export const skewed = (drawn: number, most: number): number => {
  const share = (drawn & 0xffff) / 0x10000;
  return Math.floor(most * share * share * share);
};

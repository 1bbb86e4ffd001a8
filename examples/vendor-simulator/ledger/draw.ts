const mixed = (hash: number): number => {
  let h = hash;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
};

/**
 * A pseudo-random integer in [0, 2³²) that depends only on its arguments (the finalizer of MurmurHash3 over each of
 * them). It has no state, so any row of the ledger can be generated without the others.
 */
export function draw(seed: number, a: number, b = 0, c = 0): number {
  return mixed(mixed(mixed(mixed(seed + 0x9e3779b9) + a) + Math.imul(b, 0x27d4eb2f)) + Math.imul(c, 0x165667b1));
}

/** An entry of `list`, uniformly distributed. */
export const pick = <T>(list: readonly T[], drawn: number): T => list[drawn % list.length];

/** A count that is mostly small and sometimes large. */
export const skewed = (drawn: number, most: number): number => {
  const share = (drawn & 0xffff) / 0x10000;
  return Math.floor(most * share * share * share);
};

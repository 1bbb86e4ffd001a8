/** A passage that was found by its words, by its meaning, or both. */
export interface Candidate {
  /** BM25; 0 if it contains no word of the query */
  score: number;
  /** cosine; null if the passage has no vector */
  similarity: number | null;
}

/** The share of the meaning; the words have the rest. */
const meaningWeight = 0.5;

/**
 * A convex combination of normalized scores (0 to 1), in the order of the candidates. Each list is normalized between
 * the lowest possible and its highest score: BM25 cannot be below 0, a cosine not below −1. A passage without a vector
 * counts as the least similar one.
 */
export function fuse(candidates: readonly Candidate[]): number[] {
  const known = candidates.flatMap(({ similarity }) => similarity ?? []);
  const least = Math.min(1, ...known);
  const bestScore = Math.max(0, ...candidates.map(({ score }) => score));
  const bestSimilarity = Math.max(-1, ...known);
  return candidates.map(({ score, similarity }) => {
    const byWords = bestScore ? score / bestScore : 0;
    const byMeaning = known.length ? ((similarity ?? least) + 1) / (bestSimilarity + 1 || 1) : 0;
    return (1 - meaningWeight) * byWords + meaningWeight * byMeaning;
  });
}

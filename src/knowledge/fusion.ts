/** A passage that was found by words, by meaning, or both. */
export interface Candidate {
  /** BM25; 0 if the passage contains no word of the query */
  score: number;
  /** cosine; null if the passage has no vector */
  similarity: number | null;
}

/** The weight of the similarity. The BM25 score has the rest. */
const meaningWeight = 0.5;

/**
 * Combines both scores of each candidate: a weighted sum of the normalized scores, 0 to 1. Each score is normalized
 * between its theoretical minimum (0 for BM25, −1 for a cosine) and the maximum of the candidates. A passage without a
 * vector counts as the least similar one.
 */
export function fuse(candidates: readonly Candidate[]): number[] {
  const similarities = candidates.flatMap(({ similarity }) => similarity ?? []);
  const least = Math.min(1, ...similarities);
  const bestScore = Math.max(0, ...candidates.map(({ score }) => score));
  const bestSimilarity = Math.max(-1, ...similarities);
  return candidates.map(({ score, similarity }) => {
    const byWords = bestScore ? score / bestScore : 0;
    const byMeaning = similarities.length ? ((similarity ?? least) + 1) / (bestSimilarity + 1 || 1) : 0;
    return (1 - meaningWeight) * byWords + meaningWeight * byMeaning;
  });
}

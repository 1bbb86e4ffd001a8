const dayMs = 86_400_000;
/** Small, so that a signal only decides between passages that match about equally well. */
const maxAgePenalty = 0.1;
const supersededPenalty = 0.15;
const draftPenalty = 0.1;
/** The age with half of the maximum penalty. */
const halfPenaltyDays = 730;

/** From 1 for a new document to 0.9 for a very old one. 1 if the age is unknown. */
export function freshness(updatedAt: Date | null, now: number): number {
  if (!updatedAt) return 1;
  const days = Math.max(0, now - updatedAt.getTime()) / dayMs;
  return 1 - (maxAgePenalty * days) / (days + halfPenaltyDays);
}

const superseded =
  /\b(archived?|attic|deprecated|obsolete|outdated|superseded|retired|end[ -]of[ -]life|veraltet|obsol[eè]te)\b/i;
const draft = /\b(drafts?|wip|work in progress|entwurf|brouillon|borrador)\b/i;

/** Below 1 if title, path or container mark the document as a draft or as no longer valid. */
export function authority({
  title,
  externalId,
  container,
}: {
  title: string;
  externalId: string;
  container: string | null;
}): number {
  const words = [title, externalId, container ?? ''].join(' ').replaceAll(/[_/]/g, ' ');
  if (superseded.test(words)) return 1 - supersededPenalty;
  return draft.test(words) ? 1 - draftPenalty : 1;
}

const dayMs = 86_400_000;
/** The most that a signal takes away, so that it decides only between passages that fit about equally well. */
const oldestLoses = 0.1;
const supersededLoses = 0.15;
const draftLoses = 0.1;
/** Half of the loss is reached at this age. */
const halfLossDays = 730;

/** 1 for a new document, down to 0.9 for a very old one. 1 if its age is unknown. */
export function freshness(updatedAt: Date | null, now: number): number {
  if (!updatedAt) return 1;
  const days = Math.max(0, now - updatedAt.getTime()) / dayMs;
  return 1 - (oldestLoses * days) / (days + halfLossDays);
}

const superseded =
  /\b(archived?|attic|deprecated|obsolete|outdated|superseded|retired|end[ -]of[ -]life|veraltet|obsol[eè]te)\b/i;
const draft = /\b(drafts?|wip|work in progress|entwurf|brouillon|borrador)\b/i;

/** Below 1 if the title, the path or the container says that the document is a draft or no longer valid. */
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
  if (superseded.test(words)) return 1 - supersededLoses;
  return draft.test(words) ? 1 - draftLoses : 1;
}

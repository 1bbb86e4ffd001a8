import type { Request } from 'express';

/** What stands in the metadata of a task: what it waits for, the approval and its end, or the code of its failure. */
export const detailsExtension = 'urn:countersign:a2a:task-details:1';

/** Which of the extensions that the caller named are spoken; the others are nobody's concern. Older callers write `X-` before it. */
export function extensionsOf(request: Request): Record<string, string> {
  const answers: Record<string, string> = {};
  for (const name of ['A2A-Extensions', 'X-A2A-Extensions']) {
    const named = request
      .get(name)
      ?.split(',')
      .map((one) => one.trim());
    if (named?.includes(detailsExtension)) answers[name] = detailsExtension;
  }
  return answers;
}

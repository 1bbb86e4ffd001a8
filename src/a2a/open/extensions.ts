import type { Request } from 'express';

/** What stands in the metadata of a task: what it waits for, the approval and its end, or the code of its failure. */
export const detailsExtension = 'urn:countersign:a2a:task-details:1';

/** Older callers write `X-` before it. */
const headers = ['A2A-Extensions', 'X-A2A-Extensions'];

/** Which extensions the caller names. */
export const namedExtensions = (request: Request): string[] => headers.flatMap((name) => listed(request.get(name)));

/** Which of them are spoken; the others are nobody's concern. */
export const spokenExtensions = (request: Request): Record<string, string> =>
  Object.fromEntries(
    headers
      .filter((name) => listed(request.get(name)).includes(detailsExtension))
      .map((name) => [name, detailsExtension]),
  );

export const listed = (value: string | undefined): string[] => value?.split(',').map((one) => one.trim()) ?? [];

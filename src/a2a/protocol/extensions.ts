import type { Request } from 'express';

/** What stands in the metadata of a task: what it waits for, the approval and its end, or the code of its failure. */
export const taskDetailsExtension = 'urn:countersign:a2a:task-details:1';

/** Older callers write `X-` before it. */
const extensionHeaders = ['A2A-Extensions', 'X-A2A-Extensions'];

/** Which extensions the caller names. */
export const requestedExtensions = (request: Request): string[] =>
  extensionHeaders.flatMap((name) => parseExtensionList(request.get(name)));

/** Which of them are spoken; the others are nobody's concern. */
export const supportedExtensionHeaders = (request: Request): Record<string, string> =>
  Object.fromEntries(
    extensionHeaders
      .filter((name) => parseExtensionList(request.get(name)).includes(taskDetailsExtension))
      .map((name) => [name, taskDetailsExtension]),
  );

export const parseExtensionList = (value: string | undefined): string[] =>
  value?.split(',').map((one) => one.trim()) ?? [];

import type { Request } from 'express';

/** Describes our task metadata: what the task waits for, its approval with the expiry, or the code of its failure. */
export const taskDetailsExtension = 'urn:countersign:a2a:task-details:1';

/** Older callers use the `X-` prefix. */
const extensionHeaders = ['A2A-Extensions', 'X-A2A-Extensions'];

export const requestedExtensions = (request: Request): string[] =>
  extensionHeaders.flatMap((name) => parseExtensionList(request.get(name)));

/** Confirms the requested extension that we support. Ignores others. */
export const supportedExtensionHeaders = (request: Request): Record<string, string> =>
  Object.fromEntries(
    extensionHeaders
      .filter((name) => parseExtensionList(request.get(name)).includes(taskDetailsExtension))
      .map((name) => [name, taskDetailsExtension]),
  );

export const parseExtensionList = (value: string | undefined): string[] =>
  value?.split(',').map((one) => one.trim()) ?? [];

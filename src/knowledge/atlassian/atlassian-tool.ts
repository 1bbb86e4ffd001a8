import type { ToolResult } from '../../connections/connector-registry.service.js';
import { NotSent } from '../../connections/connections.error.js';
import { isSourceFault } from '../source-kit/source-request.error.js';

/** Awaits a read of a tool that has written nothing yet: if the read fails, the call certainly had no effect. */
export async function beforeWrite<T>(read: Promise<T>): Promise<T> {
  return read.catch((error: unknown) => {
    if (!isSourceFault(error, 'unavailable', 'unreadable', 'too-large')) throw error;
    throw new NotSent(error.message, { cause: error });
  });
}

export const toolRefusal = (reason: string): ToolResult => ({
  content: [{ type: 'text', text: reason }],
  isError: true,
  reason,
  outside: true,
});

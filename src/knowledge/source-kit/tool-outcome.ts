import { NotSent, OutcomeUnknown, SourcePaused } from '../../connections/connections.error.js';
import type { ToolResult } from '../../connections/connector-registry.service.js';
import { SourceRequestError } from './source-request.error.js';

/**
 * Runs a tool and maps failed requests: an error of the source becomes a result, a request that certainly had no effect
 * throws `NotSent`, and a write that may have had an effect throws `OutcomeUnknown`.
 */
export async function toolOutcome(isWrite: boolean, run: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof SourcePaused) throw new NotSent(error.message, { cause: error });
    if (!(error instanceof SourceRequestError)) throw error;
    const { fault, message, isSent } = error;
    if (!isSent) throw new NotSent(message, { cause: error });
    if (isWrite && ['unavailable', 'too-large', 'unreadable'].includes(fault))
      throw new OutcomeUnknown(message, { cause: error });
    return { content: [{ type: 'text', text: message }], isError: true, reason: message, outside: true };
  }
}

/** Runs work that precedes the write. All its failures become `NotSent`, because the write was not sent. */
export async function beforeSending<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new NotSent((error as Error).message, { cause: error });
  }
}

import { quoteExternalText } from '../platform/text/quote-external-text.js';
import type { ToolResult } from './connector-registry.service.js';
import { CallFault, OutcomeUnknown } from './connections.error.js';
import type { OpenConnection } from './connections.service.js';
import { failureMessageOf } from '../platform/errors/failure-message.js';

const maxQuotedNameLength = 80;

/**
 * The trust boundary between connectors and the code above them: everything that a connector returns or throws counts
 * as external text, in success and in failure. Only a connector with `speaksForUs` decides this per outcome. Beyond
 * this point, reasons are sentences of ours that name the connection and quote the other system.
 */
export async function fromConnector(
  { connector: { speaksForUs }, context }: OpenConnection,
  execute: () => Promise<ToolResult>,
): Promise<ToolResult> {
  try {
    const result = await execute();
    if (speaksForUs) return result;
    const reason = result.isError ? { reason: result.reason ?? errorReasonOf(context.connection.name, result) } : {};
    return { ...result, ...reason, outside: true };
  } catch (error) {
    throw speaksForUs ? error : asForeign(error);
  }
}

/** An error that a connector threw; `OutcomeUnknown` if it does not say whether the call was executed. */
export function asForeign(error: unknown): CallFault {
  const fault =
    error instanceof CallFault
      ? error
      : new OutcomeUnknown(`The call failed: ${quoteExternalText(failureMessageOf(error))}.`, { cause: error });
  fault.isForeign = true;
  return fault;
}

function errorReasonOf(connectionName: string, { content }: ToolResult): string {
  const name = quoteExternalText(connectionName, maxQuotedNameLength);
  const message = content.find((part) => part.type === 'text')?.text.trim();
  return message ? `${name} answered: ${quoteExternalText(message)}` : `${name} returned an error.`;
}

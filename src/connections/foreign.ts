import { quoteExternalText } from '../platform/text/quote-external-text.js';
import type { ToolResult } from './connector-registry.service.js';
import { CallFault, OutcomeUnknown } from './connections.error.js';
import type { OpenConnection } from './connections.service.js';
import { failureMessageOf } from './deadline.js';

const maxQuotedNameLength = 80;

/**
 * The boundary between connectors and everything above them: whatever a connector returns or throws holds words of another
 * system, in success and in failure. Only a kind whose words are the organization's own says of each outcome whether it does.
 * Reasons are sentences of ours from here on: they name the connection and quote what it said.
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

/** An error that a connector threw; `Uncertain` where it did not say what became of the call. */
export function asForeign(error: unknown): CallFault {
  const fault =
    error instanceof CallFault
      ? error
      : new OutcomeUnknown(`It failed: ${quoteExternalText(failureMessageOf(error))}.`, { cause: error });
  fault.isForeign = true;
  return fault;
}

function errorReasonOf(connectionName: string, { content }: ToolResult): string {
  const name = quoteExternalText(connectionName, maxQuotedNameLength);
  const message = content.find((part) => part.type === 'text')?.text.trim();
  return message ? `${name} answered: ${quoteExternalText(message)}` : `${name} answered with an error.`;
}

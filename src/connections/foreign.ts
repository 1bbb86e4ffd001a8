import type { ConnectorKind, ToolResult } from './connection-kinds.service.js';
import { CallFault, Uncertain } from './connections.error.js';
import { messageOf } from './deadline.js';

/**
 * The boundary between connectors and everything above them: whatever a connector returns or throws holds words of another
 * system, in success and in failure. Only a kind whose words are the organization's own says of each outcome whether it does.
 */
export async function fromConnector(
  { speaksForUs }: Pick<ConnectorKind, 'speaksForUs'>,
  execute: () => Promise<ToolResult>,
): Promise<ToolResult> {
  try {
    const result = await execute();
    return speaksForUs ? result : { ...result, outside: true };
  } catch (error) {
    throw speaksForUs ? error : asForeign(error);
  }
}

/** An error that a connector threw; `Uncertain` where it did not say what became of the call. */
export function asForeign(error: unknown): CallFault {
  const fault = error instanceof CallFault ? error : new Uncertain(messageOf(error), { cause: error });
  fault.isForeign = true;
  return fault;
}

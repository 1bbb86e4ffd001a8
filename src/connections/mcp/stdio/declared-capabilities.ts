import type { ClientCapabilities, JSONRPCRequest } from '@modelcontextprotocol/client';

/** What a child is told that can be asked; whether it is so is seen when it asks. The roots of one caller are not another's. */
export const declaredClientCapabilities: ClientCapabilities = { elicitation: { form: {}, url: {} }, sampling: {} };

export function supportsServerRequest(capabilities: ClientCapabilities, { method, params }: JSONRPCRequest): boolean {
  if (method === 'sampling/createMessage') return capabilities.sampling !== undefined;
  if (method !== 'elicitation/create' || !capabilities.elicitation) return false;
  const { form, url } = capabilities.elicitation;
  // without any mode the form is meant (MCP 2025-11-25, elicitation)
  return params?.mode === 'url' ? url !== undefined : form !== undefined || url === undefined;
}

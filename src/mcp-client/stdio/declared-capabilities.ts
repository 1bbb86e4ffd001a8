import type { ClientCapabilities, JSONRPCRequest } from '@modelcontextprotocol/client';

/**
 * Declared to a child for all its callers; each request is checked against its caller. Roots differ between callers.
 */
export const declaredClientCapabilities: ClientCapabilities = { elicitation: { form: {}, url: {} }, sampling: {} };

export function supportsServerRequest(capabilities: ClientCapabilities, { method, params }: JSONRPCRequest): boolean {
  if (method === 'sampling/createMessage') return capabilities.sampling !== undefined;
  if (method !== 'elicitation/create' || !capabilities.elicitation) return false;
  const { form, url } = capabilities.elicitation;
  // a request without a mode is a form (MCP 2025-11-25, elicitation)
  return params?.mode === 'url' ? url !== undefined : form !== undefined || url === undefined;
}

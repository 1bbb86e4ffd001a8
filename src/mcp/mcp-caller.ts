import type { ClientCapabilities, Implementation } from '@modelcontextprotocol/server';
import type { Principal } from '../principal/principal.js';

/** The caller of an MCP request and the capabilities that its client declares. */
export interface McpCaller {
  principal: Principal;
  configurationId: string;
  era: 'modern' | 'legacy';
  capabilities: ClientCapabilities;
  clientInfo?: Implementation;
  /** Only in the legacy era. */
  sessionId?: string;
}

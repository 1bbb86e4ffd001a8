import type { ClientCapabilities, Implementation } from '@modelcontextprotocol/server';
import type { Principal } from '../principal/principal.js';

/** Who speaks to us over MCP, and what their client says that it can do. */
export interface McpCaller {
  principal: Principal;
  configurationId: string;
  era: 'modern' | 'legacy';
  capabilities: ClientCapabilities;
  clientInfo?: Implementation;
  /** In the legacy era. */
  sessionId?: string;
}

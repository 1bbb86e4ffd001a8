import { type Assistant, formatJson } from '../assistant.js';

/**
 * cursor.com/docs/mcp, "Static OAuth for remote servers": `auth.CLIENT_ID`, and the callbacks of the desktop application
 * and of agents on the web. Older versions come back at `cursor://…`, which any program on the machine can claim, and
 * which is not registered here for that reason.
 */
export const cursor: Assistant = {
  id: 'cursor',
  name: 'Cursor',
  isNative: true,
  redirectUris: () => ['http://localhost:8787/callback', 'https://www.cursor.com/agents/mcp/oauth/callback'],
  steps: ({ address, clientId, serverName }) => [
    {
      say: 'In ~/.cursor/mcp.json, or in .cursor/mcp.json of one project:',
      paste: formatJson({ mcpServers: { [serverName]: { url: address, auth: { CLIENT_ID: clientId } } } }),
    },
    {
      say: `In Cursor’s settings, under MCP, ${serverName} asks you to connect: your browser opens, and asks you. A version that comes back at cursor:// is too old: update it.`,
    },
  ],
};

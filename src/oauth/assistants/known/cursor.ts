import { type Assistant, formatJson } from '../assistant.js';

/**
 * cursor.com/docs/mcp, "Static OAuth for remote servers": `auth.CLIENT_ID`, and the redirect URIs of the desktop
 * application and of web agents. Older versions use `cursor://…`, which is not registered because any program on the
 * machine can claim it.
 */
export const cursor: Assistant = {
  id: 'cursor',
  name: 'Cursor',
  isNative: true,
  redirectUris: () => ['http://localhost:8787/callback', 'https://www.cursor.com/agents/mcp/oauth/callback'],
  steps: ({ address, clientId, serverName }) => [
    {
      say: 'Add this to ~/.cursor/mcp.json, or to .cursor/mcp.json of one project:',
      paste: formatJson({ mcpServers: { [serverName]: { url: address, auth: { CLIENT_ID: clientId } } } }),
    },
    {
      say: `In Cursor’s settings, under MCP, connect ${serverName} and allow access in the browser. If Cursor returns to a cursor:// address, update it: the version is too old.`,
    },
  ],
};

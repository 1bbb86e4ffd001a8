import type { Assistant } from '../assistant.js';

const port = 8976;

/**
 * code.claude.com/docs/en/mcp, "Use pre-configured OAuth credentials" and "Use a fixed OAuth callback port": without
 * `--callback-port` the port is another one each time, and with it the address is `http://localhost:PORT/callback`.
 * Options stand before the name of the server.
 */
export const claudeCode: Assistant = {
  id: 'claude_code',
  name: 'Claude Code',
  isNative: true,
  redirectUris: () => [`http://localhost:${port}/callback`],
  steps: ({ address, clientId, serverName }) => [
    {
      say: 'In a terminal:',
      paste: `claude mcp add --transport http --scope user --client-id ${clientId} --callback-port ${port} ${serverName} ${address}`,
    },
    {
      say: 'Then this; your browser opens, and asks you. A version that does not know it does the same after /mcp, Authenticate.',
      paste: `claude mcp login ${serverName}`,
    },
  ],
};

import type { Assistant } from '../assistant.js';

const port = 8976;

/**
 * code.claude.com/docs/en/mcp, "Use pre-configured OAuth credentials" and "Use a fixed OAuth callback port": the port
 * is random without `--callback-port`; with it the redirect URI is `http://localhost:PORT/callback`. Options must
 * precede the name of the server.
 */
export const claudeCode: Assistant = {
  id: 'claude_code',
  name: 'Claude Code',
  isNative: true,
  redirectUris: () => [`http://localhost:${port}/callback`],
  steps: ({ address, clientId, serverName }) => [
    {
      say: 'Run this in a terminal:',
      paste: `claude mcp add --transport http --scope user --client-id ${clientId} --callback-port ${port} ${serverName} ${address}`,
    },
    {
      say: 'Then run this and allow access in the browser. If your version does not have the command, use /mcp, Authenticate instead.',
      paste: `claude mcp login ${serverName}`,
    },
  ],
};

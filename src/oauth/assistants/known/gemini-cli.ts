import { type Assistant, formatJson } from '../assistant.js';

const redirectUri = 'http://localhost:7777/oauth/callback';

/**
 * github.com/google-gemini/gemini-cli, docs/tools/mcp-server.md, "OAuth configuration properties". The port is random
 * without `redirectUri`.
 */
export const geminiCli: Assistant = {
  id: 'gemini_cli',
  name: 'Gemini CLI',
  isNative: true,
  redirectUris: () => [redirectUri],
  steps: ({ address, clientId, serverName }) => [
    {
      say: 'Add this to ~/.gemini/settings.json, or to .gemini/settings.json of one project:',
      paste: formatJson({
        mcpServers: { [serverName]: { httpUrl: address, oauth: { enabled: true, clientId, redirectUri } } },
      }),
    },
    { say: 'Start gemini, run this and allow access in the browser:', paste: `/mcp auth ${serverName}` },
  ],
};

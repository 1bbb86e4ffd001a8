import { type Assistant, formatJson } from '../assistant.js';

const redirectUri = 'http://localhost:7777/oauth/callback';

/** github.com/google-gemini/gemini-cli, docs/tools/mcp-server.md, "OAuth configuration properties"; without `redirectUri` the port is another one each time. */
export const geminiCli: Assistant = {
  id: 'gemini_cli',
  name: 'Gemini CLI',
  isNative: true,
  redirectUris: () => [redirectUri],
  steps: ({ address, clientId, serverName }) => [
    {
      say: 'In ~/.gemini/settings.json, or in .gemini/settings.json of one project:',
      paste: formatJson({
        mcpServers: { [serverName]: { httpUrl: address, oauth: { enabled: true, clientId, redirectUri } } },
      }),
    },
    { say: 'Start gemini; your browser opens, and asks you, after:', paste: `/mcp auth ${serverName}` },
  ],
};

import { type Assistant, formatJson } from '../assistant.js';

const port = 33418;

/**
 * `oauth.clientId`: code.visualstudio.com/docs, "MCP configuration reference" (github.com/microsoft/vscode-docs/pull/9798).
 * The callbacks are those that VS Code itself registers where a server lets it (github.com/microsoft/vscode/issues/278512);
 * in its requests the slash at the end is there or not. With the port taken it asks for another one, which is refused.
 */
export const vsCode: Assistant = {
  id: 'vs_code',
  name: 'VS Code',
  hint: 'GitHub Copilot',
  isNative: true,
  redirectUris: () => [
    ...['127.0.0.1', 'localhost'].flatMap((host) => [`http://${host}:${port}/`, `http://${host}:${port}`]),
    'https://vscode.dev/redirect',
    'https://insiders.vscode.dev/redirect',
  ],
  steps: ({ address, clientId, serverName }) => [
    {
      say: 'Run the command "MCP: Open User Configuration", or open .vscode/mcp.json of one workspace:',
      paste: formatJson({ servers: { [serverName]: { type: 'http', url: address, oauth: { clientId } } } }),
    },
    {
      say: `Press Start above ${serverName}: your browser opens, and asks you. If it says that the address it should go back to is not registered, another window of VS Code has taken port ${port}: close it, and try again.`,
    },
  ],
};

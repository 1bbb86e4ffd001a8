import { type Assistant, formatJson } from '../assistant.js';

const port = 33418;

/**
 * `oauth.clientId`: code.visualstudio.com/docs, "MCP configuration reference"
 * (github.com/microsoft/vscode-docs/pull/9798). The redirect URIs are those of VS Code's own dynamic registration
 * (github.com/microsoft/vscode/issues/278512). Its requests may omit the trailing slash. If the port is in use, it
 * requests another port, which is refused.
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
      say: 'Run the command "MCP: Open User Configuration", or open .vscode/mcp.json of one workspace, and add this:',
      paste: formatJson({ servers: { [serverName]: { type: 'http', url: address, oauth: { clientId } } } }),
    },
    {
      say: `Select Start above ${serverName} and allow access in the browser. If the page says that the redirect address is not registered, another VS Code window uses port ${port}: close it and try again.`,
    },
  ],
};

import type { Assistant } from '../assistant.js';

/**
 * claude.com/docs/connectors (custom connectors: your own client id, an empty secret for a public client) and
 * support.claude.com/articles/11503834 (the redirect URI may move from claude.ai to claude.com). claude.ai, the desktop
 * and the mobile apps are one client, which connects to servers from Anthropic's network, never from the person's.
 */
export const claude: Assistant = {
  id: 'claude',
  name: 'Claude',
  hint: 'web, desktop, phone',
  isNative: false,
  redirectUris: () => ['https://claude.ai/api/mcp/auth_callback', 'https://claude.com/api/mcp/auth_callback'],
  obstacle: (address) =>
    address.startsWith('https://')
      ? null
      : `Claude connects from Anthropic’s network and only over https://. It cannot reach ${address}.`,
  steps: ({ address, clientId }) => [
    {
      say: 'In Claude, open Settings, Connectors, and add a custom connector with this address. In a Claude organization its owner does this once, and everybody else selects Connect. Claude must be able to reach the address over the internet:',
      paste: address,
    },
    {
      say: 'In the advanced settings (or "Use your own OAuth client"), enter this OAuth client ID and leave the secret empty:',
      paste: clientId,
    },
    { say: 'Select Connect and allow access on the page that opens. Claude on your phone can then use it too.' },
  ],
};

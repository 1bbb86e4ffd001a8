import type { Assistant } from '../assistant.js';

/**
 * claude.com/docs/connectors (custom connectors: an own client id, the secret left blank for a public client) and
 * support.claude.com/articles/11503834 (the callback, which may move from claude.ai to claude.com). claude.ai, the desktop
 * and the mobile apps are one client, which reaches servers from Anthropic's network and never from the person's.
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
      : `Claude reaches servers from Anthropic’s network, and by https:// alone. It would not find ${address}.`,
  steps: ({ address, clientId }) => [
    {
      say: 'In Claude open Settings, Connectors, and add a custom connector. In an organization of Claude its owner does that once, and everybody else presses Connect. Claude reaches the server over the internet, at this address:',
      paste: address,
    },
    {
      say: 'Among the advanced settings (or "Use your own OAuth client") this is the OAuth client ID; the secret stays empty:',
      paste: clientId,
    },
    { say: 'Press Connect: Claude sends you here to be asked. Claude on your phone has it from then on, too.' },
  ],
};

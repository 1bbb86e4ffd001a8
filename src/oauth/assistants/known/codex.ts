import { sha256 } from '../../../platform/crypto/digest.js';
import type { Assistant } from '../assistant.js';

const callback = { port: 8977, url: 'http://127.0.0.1:8977/callback' };

/**
 * developers.openai.com/codex, the keys of `mcp_servers.<name>.oauth`. Versions that identify authorization servers by
 * `iss` use the configured redirect URI; others append a digest of the server's address (github.com/openai/codex,
 * codex-rs/rmcp-client, and issue 30460). Both are registered. If the address of this server changes, register Codex
 * again.
 */
export const codex: Assistant = {
  id: 'codex',
  name: 'Codex',
  isNative: true,
  redirectUris: (address) => [callback.url, `${callback.url}/${callbackSuffixOf(address)}`],
  steps: ({ address, clientId, serverName }) => [
    {
      say: 'Add this to ~/.codex/config.toml, which the command line, the IDE extension and the desktop app share:',
      paste: [
        `[mcp_servers.${serverName}]`,
        `url = "${address}"`,
        '',
        `[mcp_servers.${serverName}.oauth]`,
        `client_id = "${clientId}"`,
        `callback_port = ${callback.port}`,
        `callback_url = "${callback.url}"`,
      ].join('\n'),
    },
    { say: 'Run this in a terminal and allow access in the browser:', paste: `codex mcp login ${serverName}` },
  ],
};

/** Nine bytes of the digest of the normalized address, as Codex computes it. */
const callbackSuffixOf = (address: string): string =>
  sha256(new URL(address).href).subarray(0, 9).toString('base64url');

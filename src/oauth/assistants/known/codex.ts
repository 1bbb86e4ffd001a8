import { sha256 } from '../../../platform/crypto/digest.js';
import type { Assistant } from '../assistant.js';

const callback = { port: 8977, url: 'http://127.0.0.1:8977/callback' };

/**
 * developers.openai.com/codex, the keys of `mcp_servers.<name>.oauth`. Versions that know authorization servers by their
 * `iss` come back at the callback as it is configured, the others append a mark of the server's address
 * (github.com/openai/codex, codex-rs/rmcp-client, and issue 30460 there): both are registered, and with another address of
 * this server Codex is registered anew.
 */
export const codex: Assistant = {
  id: 'codex',
  name: 'Codex',
  isNative: true,
  redirectUris: (address) => [callback.url, `${callback.url}/${callbackSuffixOf(address)}`],
  steps: ({ address, clientId, serverName }) => [
    {
      say: 'In ~/.codex/config.toml, which the command line, the IDE extension and the desktop app share:',
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
    { say: 'In a terminal; your browser opens, and asks you:', paste: `codex mcp login ${serverName}` },
  ],
};

/** Nine bytes of the digest of the address, as Codex itself writes it. */
const callbackSuffixOf = (address: string): string =>
  sha256(new URL(address).href).subarray(0, 9).toString('base64url');

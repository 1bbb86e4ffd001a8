import type { ConfigurationFile, ServerEntry } from '../../src/estate/configuration-file.js';

/** A stored entry of an MCP configuration, with defaults for everything that a test does not set. */
export function anEntry(about: Partial<ServerEntry> = {}): ServerEntry {
  const address = about.url && URL.canParse(about.url) ? new URL(about.url) : null;
  return {
    name: 'tools',
    definition: {},
    definitionHash: '0'.repeat(64),
    transport: about.url ? 'http' : 'stdio',
    command: about.url ? null : 'tools-server',
    args: [],
    package: null,
    url: null,
    urlScheme: address?.protocol.slice(0, -1) ?? null,
    host: address?.host ?? null,
    authKind: 'none',
    envNames: [],
    headerNames: [],
    envFile: null,
    secrets: [],
    oddities: [],
    isDisabled: false,
    ...about,
  };
}

export const aConfiguration = (about: Partial<ConfigurationFile> = {}): ConfigurationFile => ({
  path: '~/.cursor/mcp.json',
  client: 'cursor',
  kind: 'mcp_client_configuration',
  scope: 'user',
  ownerEmail: null,
  status: 'read',
  problems: [],
  oddities: [],
  ...about,
});

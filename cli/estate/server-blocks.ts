import { decode } from '../../src/estate/parsing/decode.js';

/** Clients that also store histories in the file with their servers, which makes it large. */
const clientsWithHistories = new Set(['claude-code']);
export const maxHistoryBytes = 16 * 2 ** 20;

export const hasHistories = (client: string, isSettings: boolean): boolean =>
  isSettings && clientsWithHistories.has(client);

interface ClaudeFile {
  mcpServers?: object;
  projects?: Record<string, { mcpServers?: object } | null>;
}

/** The same file with nothing but its servers. Null: it is not JSON. */
export function withServersOnly(bytes: Uint8Array): Uint8Array | null {
  const decoded = decode(bytes);
  if ('reason' in decoded) return null;
  try {
    const { mcpServers, projects } = JSON.parse(decoded.text) as ClaudeFile;
    const withServers = Object.entries(projects ?? {}).flatMap(([folder, project]) =>
      Object.keys(project?.mcpServers ?? {}).length ? [[folder, { mcpServers: project?.mcpServers }]] : [],
    );
    return Buffer.from(JSON.stringify({ mcpServers, projects: Object.fromEntries(withServers) }));
  } catch {
    return null;
  }
}

/** Clients that also store histories in the file with their servers, which makes it large. */
const clientsWithHistories = new Set(['claude-code']);
export const maxHistoryBytes = 16 * 2 ** 20;

export const hasHistories = (client: string, isSettings: boolean): boolean =>
  isSettings && clientsWithHistories.has(client);

type Members = Record<string, unknown>;

/** The same file with nothing but its servers. Null: it is not JSON. */
export function withServersOnly(bytes: Uint8Array): Uint8Array | null {
  try {
    const file = JSON.parse(Buffer.from(bytes).toString()) as Members;
    const projects = Object.entries((file.projects ?? {}) as Record<string, Members>)
      .filter(([, project]) => Object.keys((project.mcpServers ?? {}) as Members).length)
      .map(([folder, { mcpServers }]) => [folder, { mcpServers }]);
    return Buffer.from(JSON.stringify({ mcpServers: file.mcpServers, projects: Object.fromEntries(projects) }));
  } catch {
    return null;
  }
}

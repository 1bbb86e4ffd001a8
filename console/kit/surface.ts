const surfaces: Record<string, string> = {
  a2a: 'A2A',
  mcp: 'MCP',
  api: 'the API',
  cli: 'the command line',
  console: 'the console',
  ingest: 'the ingestion API',
  system: 'the server',
};

/** The endpoint that a caller used; follows "through". */
export const surfaceOf = ({ surface }: { surface: string }): string => surfaces[surface] ?? surface;

/** The role of a member of the caller chain; precedes its name. A configuration in the chain has delegated the task. */
export const inChain = (kind: string): string =>
  kind === 'configuration' ? 'delegated by configuration' : `on behalf of ${kind}`;

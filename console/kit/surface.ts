const surfaces: Record<string, string> = {
  a2a: 'A2A',
  mcp: 'MCP',
  api: 'the API',
  cli: 'the command line',
  console: 'the console',
  ingest: 'the intake of documents and files',
  system: 'the product itself',
};

/** The door that somebody came through, after "through". */
export const surfaceOf = ({ surface }: { surface: string }): string => surfaces[surface] ?? surface;

/** How one of the chain stands behind a name. A configuration in it has handed the task on. */
export const inChain = (kind: string): string =>
  kind === 'configuration' ? 'handed on by the configuration' : `for the ${kind}`;

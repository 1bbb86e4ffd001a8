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

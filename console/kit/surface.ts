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

const chainRoles: Record<string, string> = { configuration: 'delegated by configuration', client: 'using' };

/** The role of a link of the caller chain; precedes its name. A configuration in the chain has delegated the task. */
export const inChain = (kind: string): string => chainRoles[kind] ?? `on behalf of ${kind}`;

/** The caller chain without the caller: the chain of a person who uses a product starts with that person. */
export const chainBehind = <Link extends { kind: string }>({
  kind,
  chain = [],
}: {
  kind: string;
  chain?: Link[];
}): Link[] => chain.filter((link) => link.kind !== kind);

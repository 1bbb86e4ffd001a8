import type { FileKind, FileScope, Oddity } from '../configuration-file.js';

export interface KnownFile {
  client: string;
  kind: FileKind;
  scope: FileScope;
  oddities: Oddity[];
}

// configuration files of AI clients, by the end of their path; the folder before it determines the scope
const knownPaths: { end: string; client: string; kind: FileKind }[] = [
  { end: '.cursor/mcp.json', client: 'cursor', kind: 'mcp_client_configuration' },
];
const home = /(?:^|\/)(?:home|Users)\/[^/]+\/$|^\/?root\/$|^~\/$/;

/** Uses "/" as separator for paths of any system. */
export const normalizedPath = (path: string): string =>
  /^[A-Za-z]:[\\/]|^[^/]*\\/.test(path) ? path.replaceAll('\\', '/') : path;

/** Recognizes a file by its path alone; null: not a known configuration file. */
export function knownFile(path: string): KnownFile | null {
  const folded = path.toLowerCase();
  const found = knownPaths.find(({ end }) => folded === end || folded.endsWith(`/${end}`));
  if (!found) return null;
  const before = path.slice(0, path.length - found.end.length);
  const written = path.slice(before.length);
  const oddity: Oddity = { kind: 'odd_case_path', place: '', detail: `${written} instead of ${found.end}` };
  return {
    client: found.client,
    kind: found.kind,
    scope: home.test(before) ? 'user' : 'project',
    oddities: written === found.end ? [] : [oddity],
  };
}

/** The hidden folders that contain such files. */
export const isConfigurationFolder = (name: string): boolean => name.toLowerCase() === '.cursor';

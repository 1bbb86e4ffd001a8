import type { FileKind, FileScope, Oddity } from '../configuration-file.js';

export interface KnownFile {
  client: string;
  kind: FileKind;
  scope: FileScope;
  oddities: Oddity[];
}

// what configures an AI client, by the end of its path; the folder that it counts for stands before it
const knownPaths: { end: string; client: string; kind: FileKind }[] = [
  { end: '.cursor/mcp.json', client: 'cursor', kind: 'mcp_client_configuration' },
];
const home = /(?:^|\/)(?:home|Users)\/[^/]+\/$|^\/?root\/$|^~\/$/;

/** With "/" between names, on whatever system it was written. */
export const normalizedPath = (path: string): string =>
  /^[A-Za-z]:[\\/]|^[^/]*\\/.test(path) ? path.replaceAll('\\', '/') : path;

/** What a file is, by its path alone; null: nothing that is looked at. */
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

/** Of the hidden names the one that leads to such files. */
export const isConfigurationFolder = (name: string): boolean => name.toLowerCase() === '.cursor';

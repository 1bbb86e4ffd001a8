import type { FileKind, FileScope, Oddity } from '../configuration-file.js';
import { knownLocations, type KnownLocation } from './known-locations.js';

/** Files with longer paths are not stored. */
export const maxPathLength = 1000;

export type FileFormat = 'json' | 'toml' | 'yaml';

export interface KnownFile {
  client: string;
  kind: FileKind;
  scope: FileScope;
  format: FileFormat;
  /** The file also contains other settings, so that it may declare no servers. */
  isSettings: boolean;
  oddities: Oddity[];
}

interface LocationPattern {
  location: KnownLocation;
  folded: RegExp;
  exact: RegExp;
}

const home = /(?:^|\/)(?:home|Users)\/[^/]+\/$|^\/?root\/$|^~\/$/;

const patterns: readonly LocationPattern[] = knownLocations.map((location) => {
  const source = location.path
    .replace(/[.+()]/g, '\\$&')
    .replace(/\*\*\/|\*/g, (stars) => (stars === '*' ? '[^/]+' : '(?:[^/]+/)*'));
  return {
    location,
    folded: new RegExp(`(?:^|/)(${source})$`, 'i'),
    exact: new RegExp(`(?:^|/)${source}$`),
  };
});

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** By the name of the file in lower case; a name with a wildcard is filed under its ending. */
const patternsByName = new Map<string, LocationPattern[]>();
for (const pattern of patterns) {
  const name = nameOf(pattern.location.path).replace('*', '').toLowerCase();
  patternsByName.set(name, [...(patternsByName.get(name) ?? []), pattern]);
}

/** The name, and its endings that begin with a dot. */
function* endingsOf(name: string): Iterable<string> {
  yield name;
  for (let dot = name.indexOf('.', 1); dot > 0; dot = name.indexOf('.', dot + 1)) yield name.slice(dot);
}

function* candidatesFor(name: string): Iterable<LocationPattern> {
  for (const ending of endingsOf(name.toLowerCase())) yield* patternsByName.get(ending) ?? [];
}

/** Whether a file with this name can be a configuration file in some folder. Cheap, for walks over many files. */
export function isConfigurationName(name: string): boolean {
  for (const ending of endingsOf(name.toLowerCase())) if (patternsByName.has(ending)) return true;
  return false;
}

/** Uses "/" as separator for paths of any system. */
export const normalizedPath = (path: string): string =>
  /^[A-Za-z]:[\\/]|^[^/]*\\/.test(path) ? path.replaceAll('\\', '/') : path;

/** Recognizes a file by its path alone; null: not a known configuration file. */
export function knownFile(path: string): KnownFile | null {
  for (const { location, folded, exact } of candidatesFor(nameOf(path))) {
    const match = folded.exec(path);
    if (!match) continue;
    const before = path.slice(0, path.length - match[1].length);
    const oddity: Oddity = { kind: 'odd_case_path', place: '', detail: `instead of ${location.path}` };
    return {
      client: location.client,
      kind: 'mcp_client_configuration',
      scope: scopeOf(location, before),
      format: formatOf(location.path),
      isSettings: location.isSettings ?? false,
      oddities: exact.test(path) ? [] : [oddity],
    };
  }
  return null;
}

function scopeOf({ place }: KnownLocation, before: string): FileScope {
  if (place === 'both') return home.test(before) ? 'user' : 'project';
  return place === 'project' ? 'project' : 'user';
}

function formatOf(path: string): FileFormat {
  if (path.endsWith('.toml')) return 'toml';
  return /\.ya?ml$/.test(path) ? 'yaml' : 'json';
}

const hiddenNames = new Set(
  knownLocations.flatMap(({ path }) =>
    path
      .toLowerCase()
      .split('/')
      .filter((name) => name.startsWith('.')),
  ),
);

/** The hidden folders and files that are, or contain, such files. */
export const isHiddenConfiguration = (name: string): boolean => hiddenNames.has(name.toLowerCase());

/** The paths of such files below a folder with this name, which may contain `*` and `**`. */
export function locationsBelow(folder: string): string[] {
  const start = `${folder.toLowerCase()}/`;
  const paths = knownLocations.map(({ path }) => path).filter((path) => path.toLowerCase().startsWith(start));
  return [...new Set(paths)].map((path) => path.slice(start.length));
}

/** The same without wildcards. */
export const configurationsBelow = (folder: string): string[] =>
  locationsBelow(folder).filter((path) => !path.includes('*'));

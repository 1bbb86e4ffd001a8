import { pointerTo } from '../../platform/json/strict-json.js';
import type { Oddity, ParseProblem } from '../configuration-file.js';
import type { JsoncDocument } from './jsonc.js';
import type { KnownFile } from './known-files.js';
import { normalizeHomes } from './server-identity.js';
import { isTreeObject, type Tree, type TreeObject } from './tree.js';

/** A declared server by name, not yet parsed. */
export interface DeclaredEntry {
  name: string;
  value: Tree;
  /** JSON pointer from the root of the file. */
  place: string;
}

interface DeclarationResult {
  servers: DeclaredEntry[];
  problems: ParseProblem[];
  oddities: Oddity[];
}

// the usual key first; the others belong to other clients, because people copy files between clients
const keys = ['mcpServers', 'servers', 'mcp_servers', 'context_servers', 'amp.mcpServers'];
const serverFields = ['command', 'url', 'serverUrl', 'httpUrl', 'cmd', 'uri'];

interface FoundServers extends DeclarationResult {
  isThere: boolean;
}

/** Finds the servers of a file: below "mcpServers" or at the top level, by name or in a list. */
export function findDeclaredServers({ value: root, problems }: JsoncDocument, known: KnownFile): DeclarationResult {
  const nothing = { servers: [], problems: [], oddities: [] };
  if (!isTreeObject(root ?? null)) return { ...nothing, problems: [{ place: '', reason: 'is not an object' }] };
  const top = root as TreeObject;
  const found = serversBelow(top, known);
  if (!found.servers.length && !found.isThere && top.size && !problems.length && !known.isSettings)
    found.problems.push({ place: '', reason: 'declares no servers: "mcpServers" is missing' });
  const isUnclosed = problems.some(({ reason }) => reason.startsWith('is not closed'));
  return isUnclosed ? { ...found, servers: found.servers.flatMap(withNestedServers) } : found;
}

function serversBelow(top: TreeObject, known: KnownFile): FoundServers {
  const found: FoundServers = { servers: [], problems: [], oddities: [], isThere: false };
  for (const [key, value] of top) {
    const usual = keys.find((name) => name.toLowerCase() === key.toLowerCase());
    if (!usual || (known.isSettings && namesFiles(value))) continue;
    found.isThere = true;
    if (usual !== key)
      found.oddities.push({ kind: 'odd_case_key', place: pointerTo([key]), detail: `instead of ${usual}` });
    collect(found, value, [key]);
  }
  if (!found.isThere || known.isSettings) collectFromMcp(found, top, ['mcp']);
  if (known.client === 'vscode') for (const path of nestedSettings) collectFromMcp(found, top, path);
  if (known.client === 'goose') collectServersIn(found, top.get('extensions'), ['extensions']);
  if (known.client === 'claude-code') collectFromProjects(found, top.get('projects'));
  if (!found.isThere && !known.isSettings) collectServersIn(found, top, []);
  return found;
}

/** The manifest of a plugin may name the files with its servers instead of declaring them. */
const namesFiles = (value: Tree): boolean =>
  typeof value === 'string' || (Array.isArray(value) && value.every((item) => typeof item === 'string'));

/** Where a workspace and a development container contain settings of VS Code. */
const nestedSettings = [
  ['settings', 'mcp'],
  ['customizations', 'vscode', 'mcp'],
];

/** VS Code nests its servers in "mcp.servers"; opencode declares them directly in "mcp". */
function collectFromMcp(found: FoundServers, top: TreeObject, path: string[]): void {
  let mcp: Tree | undefined = top;
  for (const name of path) mcp = isTreeObject(mcp) ? mcp.get(name) : undefined;
  if (!isTreeObject(mcp)) return;
  const nested = mcp.get('servers');
  if (!isTreeObject(nested)) return collectServersIn(found, mcp, path);
  found.isThere = true;
  collect(found, nested, [...path, 'servers']);
}

/** Claude Code stores the servers of single projects in the user's file. Their names are only unique in a project. */
function collectFromProjects(found: FoundServers, projects: Tree | undefined): void {
  if (!isTreeObject(projects)) return;
  for (const [folder, project] of projects) {
    const declared = isTreeObject(project) ? project.get('mcpServers') : undefined;
    if (!isTreeObject(declared)) continue;
    const inProject: FoundServers = { servers: [], problems: [], oddities: [], isThere: true };
    collect(inProject, declared, ['projects', folder, 'mcpServers']);
    const of = normalizeHomes(folder);
    found.servers.push(...inProject.servers.map((server) => ({ ...server, name: `${server.name} (${of})` })));
  }
}

/** The values that are servers, beside others that are not. */
function collectServersIn(found: FoundServers, value: Tree | undefined, path: string[]): void {
  if (!isTreeObject(value)) return;
  const servers = new Map([...value].filter(([, inner]) => isServer(inner)));
  if (!servers.size) return;
  found.isThere ||= path.length > 0;
  collect(found, servers, path);
}

function collect(found: DeclarationResult, value: Tree, path: string[]): void {
  if (isTreeObject(value))
    for (const [name, server] of value) found.servers.push({ name, value: server, place: pointerTo([...path, name]) });
  else if (Array.isArray(value)) {
    found.oddities.push({ kind: 'wrong_type', place: pointerTo(path), detail: 'is a list instead of an object' });
    value.forEach((server, index) =>
      found.servers.push({ name: nameOf(server) ?? String(index), value: server, place: pointerTo([...path, index]) }),
    );
  } else if (value !== null) found.problems.push({ place: pointerTo(path), reason: 'is not an object' });
}

const isServer = (value: Tree): boolean => isTreeObject(value) && serverFields.some((key) => value.has(key));

function nameOf(server: Tree): string | null {
  const name = isTreeObject(server) ? (server.get('name') ?? server.get('id')) : null;
  return typeof name === 'string' ? name : null;
}

/** If a closing bracket is missing, the following servers look like fields of the previous one. */
function withNestedServers(one: DeclaredEntry): DeclaredEntry[] {
  if (!isTreeObject(one.value)) return [one];
  const swallowed = [...one.value].filter(([, value]) => isServer(value));
  for (const [name] of swallowed) one.value.delete(name);
  const inner = swallowed.map(([name, value]) => ({ name, value, place: `${one.place}${pointerTo([name])}` }));
  return [one, ...inner.flatMap(withNestedServers)];
}

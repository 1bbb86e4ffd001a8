import { pointerTo } from '../../platform/json/strict-json.js';
import type { Oddity, ParseProblem } from '../configuration-file.js';
import type { JsoncDocument } from './jsonc.js';
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
const keys = ['mcpServers', 'servers', 'mcp_servers', 'context_servers'];
const serverFields = ['command', 'url', 'serverUrl', 'httpUrl'];

/** Finds the servers of a file: below "mcpServers" or at the top level, by name or in a list. */
export function findDeclaredServers({ value: root, problems }: JsoncDocument): DeclarationResult {
  const nothing = { servers: [], problems: [], oddities: [] };
  if (!isTreeObject(root ?? null)) return { ...nothing, problems: [{ place: '', reason: 'is not an object' }] };
  const top = root as TreeObject;
  const found = serversBelow(top);
  if (!found.servers.length && !found.isThere && top.size && !problems.length)
    found.problems.push({ place: '', reason: 'declares no servers: "mcpServers" is missing' });
  const isUnclosed = problems.some(({ reason }) => reason.startsWith('is not closed'));
  return isUnclosed ? { ...found, servers: found.servers.flatMap(withNestedServers) } : found;
}

function serversBelow(top: TreeObject): DeclarationResult & { isThere: boolean } {
  const found: DeclarationResult & { isThere: boolean } = { servers: [], problems: [], oddities: [], isThere: false };
  for (const [key, value] of top) {
    const usual = keys.find((name) => name.toLowerCase() === key.toLowerCase());
    if (!usual) continue;
    found.isThere = true;
    if (usual !== key)
      found.oddities.push({ kind: 'odd_case_key', place: pointerTo([key]), detail: `instead of ${usual}` });
    collect(found, value, [key]);
  }
  const nested = top.get('mcp');
  if (!found.isThere && isTreeObject(nested) && isTreeObject(nested.get('servers'))) {
    found.isThere = true;
    collect(found, nested.get('servers')!, ['mcp', 'servers']);
  }
  if (!found.isThere && [...top.values()].some(isServer))
    collect(found, new Map([...top].filter(([, value]) => isServer(value))), []);
  return found;
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

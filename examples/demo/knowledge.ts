import type { Browser } from './browser.ts';
import { connect, waitUntilSynced } from './connections.ts';
import { row, type Say } from './output.ts';
import type { System } from './systems/systems.ts';

export const knowledgeQuery = 'torque sensors of line 3';

export interface FoundDocument {
  title: string;
  source: string;
}

/** Connects the systems, waits for their documents and permissions, and returns the ids of the connections. */
export async function connectSystems(ada: Browser, systems: readonly System[], say: Say): Promise<string[]> {
  const ids: string[] = [];
  for (const { connection } of systems) {
    const settings = { ...connection.settings, containers: [] }; // all repositories, projects and channels
    ids.push(await connect(ada, { ...connection, slug: connection.kind, settings }));
  }
  for (const id of ids) await waitUntilSynced(ada, id, say, { hasRoster: true });
  return ids;
}

/** The documents that a search by this person returns, each once. */
export async function findDocuments(person: Browser, connectionIds: string[]): Promise<FoundDocument[]> {
  const { searchKnowledge } = await person.graphql<{ searchKnowledge: { passages: FoundDocument[] } }>(
    'query ($input: SearchKnowledgeInput!) { searchKnowledge(input: $input) { passages { title source } } }',
    { input: { query: knowledgeQuery, connectionIds, limit: 20 } },
  );
  const documents = new Map(
    searchKnowledge.passages.map(({ title, source }) => [`${source} ${title}`, { title, source }]),
  );
  return [...documents.values()];
}

/** Prints the search results of Ada, and those that only Grace gets. */
export function printKnowledge(ada: FoundDocument[], grace: FoundDocument[], say: Say): void {
  const isNew = ({ title, source }: FoundDocument) => !ada.some((one) => one.title === title && one.source === source);
  say(row('Query', knowledgeQuery));
  say(row('Ada finds', ada.map(lineOf).join('\n')));
  say(row('Grace also finds', grace.filter(isNew).map(lineOf).join('\n')));
}

/** Titles of documents that both can open in the source, and that only Grace can. */
const shared = [/cold start/, /cold mornings/, /^#line-3/];
const managersOnly = [/Claim for the torque sensors/, /^LINE-2/, /^#plant-managers/];

export function showsPermissions({ ada, grace }: { ada: FoundDocument[]; grace: FoundDocument[] }): boolean {
  const finds = (documents: FoundDocument[]) => (pattern: RegExp) => documents.some(({ title }) => pattern.test(title));
  return shared.every(finds(ada)) && [...shared, ...managersOnly].every(finds(grace)) && !managersOnly.some(finds(ada));
}

const lineOf = ({ title, source }: FoundDocument): string => `${title} (${source})`;

import type { Browser } from './browser.ts';
import { row, type Say } from './output.ts';
import { stallDetector } from './progress.ts';
import type { System } from './systems/systems.ts';

export const knowledgeQuery = 'torque sensors of line 3';

export interface FoundDocument {
  title: string;
  source: string;
}

/** Connects the systems, waits until their documents and permissions are read, and returns the ids of the connections. */
export async function connectSystems(ada: Browser, systems: readonly System[], say: Say): Promise<string[]> {
  const ids: string[] = [];
  for (const { connection } of systems) {
    const { createConnection } = await ada.graphql<{
      createConnection: { id: string; status: string; statusReason: string | null };
    }>('mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { id status statusReason } }', {
      input: { ...connection, slug: connection.kind, settings: { ...connection.settings, containers: [] } },
    });
    const { id, status, statusReason } = createConnection;
    if (status !== 'connected') throw new Error(`${connection.name} is ${status}: ${statusReason}`);
    ids.push(id);
  }
  for (const id of ids) await waitUntilReadable(ada, id, say);
  return ids;
}

/** What a person finds in these connections, each document once. */
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

/** Shows that each person finds what they can open in the source. */
export function printKnowledge(ada: FoundDocument[], grace: FoundDocument[], say: Say): void {
  const isNew = ({ title, source }: FoundDocument) => !ada.some((one) => one.title === title && one.source === source);
  say(row('Query', knowledgeQuery));
  say(row('Ada finds', ada.map(lineOf).join('\n')));
  say(row('Grace also finds', grace.filter(isNew).map(lineOf).join('\n')));
}

/** Documents in the Git host, the tracker and the chat, by who can open them there. */
const shared = [/cold start/, /cold mornings/, /^#line-3/];
const managersOnly = [/Claim for the torque sensors/, /^LINE-2/, /^#plant-managers/];

export function showsPermissions({ ada, grace }: { ada: FoundDocument[]; grace: FoundDocument[] }): boolean {
  const finds = (documents: FoundDocument[]) => (pattern: RegExp) => documents.some(({ title }) => pattern.test(title));
  return shared.every(finds(ada)) && [...shared, ...managersOnly].every(finds(grace)) && !managersOnly.some(finds(ada));
}

const lineOf = ({ title, source }: FoundDocument): string => `${title} (${source})`;

async function waitUntilReadable(ada: Browser, connectionId: string, say: Say): Promise<void> {
  const failIfStalled = stallDetector(`the documents of ${connectionId} were not synced`);
  for (;;) {
    const { knowledgeSource: source, sourceRoster: roster } = await ada.graphql<{
      knowledgeSource: { state: string; seen: number; failure: string | null; connection: { name: string } } | null;
      sourceRoster: { completeAt: string | null; failure: string | null; accountCount: number } | null;
    }>(
      `query ($id: ID!) {
        knowledgeSource(connectionId: $id) { state seen failure connection { name } }
        sourceRoster(connectionId: $id) { completeAt failure accountCount }
      }`,
      { id: connectionId },
    );
    const failure = source?.failure ?? roster?.failure;
    if (failure) throw new Error(failure);
    if (source?.state === 'complete' && roster?.completeAt) {
      const { name } = source.connection;
      return say(row('Knowledge', `${name}: ${source.seen} documents, permissions of ${roster.accountCount} accounts`));
    }
    failIfStalled(source?.seen);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

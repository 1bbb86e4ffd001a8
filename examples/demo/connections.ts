import type { Browser } from './browser.ts';
import { row, type Say } from './output.ts';
import { stallDetector } from './progress.ts';

export interface NewConnection {
  kind: string;
  name: string;
  slug: string;
  settings: Record<string, unknown>;
  secrets?: Record<string, string>;
}

/** Creates a connection, which has to work, and returns its id. */
export async function connect(admin: Browser, input: NewConnection): Promise<string> {
  const { createConnection } = await admin.graphql<{
    createConnection: { id: string; status: string; statusReason: string | null };
  }>('mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { id status statusReason } }', {
    input,
  });
  const { id, status, statusReason } = createConnection;
  if (status !== 'connected') throw new Error(`${input.name} is ${status}: ${statusReason}`);
  return id;
}

/** Waits for the first complete sync; with `hasRoster`, also until the permissions of the source are stored. */
export async function waitUntilSynced(
  admin: Browser,
  connectionId: string,
  say: Say,
  { hasRoster = false } = {},
): Promise<void> {
  const failIfStalled = stallDetector(`the documents of ${connectionId} were not synced`);
  for (;;) {
    const { knowledgeSource: source, sourceRoster: roster } = await admin.graphql<{
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
    if (source?.state === 'complete' && (!hasRoster || roster?.completeAt)) {
      const permissions = hasRoster ? `, permissions of ${roster!.accountCount} accounts` : '';
      return say(row('Knowledge', `${source.connection.name}: ${source.seen} documents${permissions}`));
    }
    failIfStalled(source?.seen);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

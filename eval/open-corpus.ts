import type { Browser } from '../examples/demo/browser.ts';
import { corpus, type CorpusDocument, type SearchDocuments } from './retrieval.ts';

const mediaTypes: Record<CorpusDocument['kind'], string> = {
  code: 'text/x-source',
  ticket: 'text/plain',
  message: 'text/plain',
  doc: 'text/markdown',
};

/** Pushes the mixed corpus to a new source and returns the search over it. */
export async function openCorpus(admin: Browser, baseUrl: string): Promise<SearchDocuments> {
  const create = async (type: string, selection: string, input: object) => {
    const data = await admin.graphql<Record<string, Record<string, unknown>>>(
      `mutation ($input: Create${type}Input!) { create${type}(input: $input) { ${selection} } }`,
      { input },
    );
    return data[`create${type}`];
  };
  const names = [...new Set(corpus().flatMap(({ groups }) => groups ?? []))];
  const groupIds = new Map<string, string>();
  for (const name of names) groupIds.set(name, String((await create('Group', 'id', { name })).id));
  const connection = await create('Connection', 'id', {
    kind: 'documents',
    name: 'Corpus',
    slug: 'corpus',
    settings: {},
  });
  const { key } = await create('TenantKey', 'key', { name: 'Corpus', scopes: ['documents'] });
  const externalIds = new Map<string, string>();
  for (const { id: externalId, kind, text, title = externalId.split('/').at(-1)!, ...document } of corpus()) {
    const response = await fetch(new URL(`/ingest/documents/corpus/${encodeURIComponent(externalId)}`, baseUrl), {
      method: 'PUT',
      headers: { authorization: `Bearer ${String(key)}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...document, kind, title, mediaType: mediaTypes[kind], content: text }),
    });
    if (!response.ok) throw new Error(`${externalId}: ${response.status} ${await response.text()}`);
    externalIds.set(((await response.json()) as { id: string }).id, externalId);
  }
  return async (query, groups) => {
    const input = {
      query,
      limit: 20,
      connectionIds: [connection.id],
      asGroups: groups.map((name) => groupIds.get(name)!),
    };
    const { searchKnowledge } = await admin.graphql<{ searchKnowledge: { passages: { documentId: string }[] } }>(
      'query ($input: SearchKnowledgeInput!) { searchKnowledge(input: $input) { passages { documentId } } }',
      { input },
    );
    return searchKnowledge.passages.map(({ documentId }) => externalIds.get(documentId)!);
  };
}

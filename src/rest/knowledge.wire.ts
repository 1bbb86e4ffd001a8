import { z } from 'zod';
import type { JsonValue } from '../platform/json/strict-json.js';
import { uuidSchema, timeSchema } from './schemas.js';

/* The wire format of knowledge results. */

export const apiDocumentKinds = ['code', 'ticket', 'doc', 'message'] as const;

const citationFields = {
  documentId: uuidSchema,
  title: z.string(),
  url: z.string().nullable().meta({ description: 'Page of the document for people' }),
  source: z.string().meta({ description: 'Slug of the connection that provides the document' }),
  kind: z.enum(apiDocumentKinds),
  author: z.string().nullable(),
  container: z.string().nullable().meta({ description: 'Repository, project, space or channel' }),
  position: z.string().meta({ description: 'Path in a larger document, and lines or page' }),
  updatedAt: timeSchema.nullable().meta({ description: 'Last change in the source' }),
  retrievedAt: timeSchema.meta({ description: 'When this version was last retrieved' }),
};

const passageSchema = z
  .object({
    n: z.int().meta({ description: 'Citation number: [1], [2], …' }),
    ...citationFields,
    heading: z.string(),
    snippet: z.string(),
    highlights: z
      .array(z.tuple([z.int(), z.int()]))
      .meta({ description: 'Start and end of each match in the snippet' }),
    text: z.string(),
    score: z.number(),
    coverage: z.number().meta({ description: 'Share of the query that the passage matches, 0 to 1' }),
    similarity: z
      .number()
      .nullable()
      .meta({ description: 'Similarity of meaning to the query, −1 to 1; null if the passage has no vector' }),
    relevance: z.number().meta({ description: 'The sort key of the passages' }),
    freshness: z.number().meta({ description: 'Factor of the relevance: below 1 for older documents' }),
    authority: z
      .number()
      .meta({ description: 'Factor of the relevance: below 1 for a draft or a document that is no longer valid' }),
    duplicates: z
      .array(
        z.object({
          documentId: citationFields.documentId,
          title: citationFields.title,
          url: citationFields.url,
          source: citationFields.source,
          container: citationFields.container,
          position: citationFields.position,
        }),
      )
      .meta({ description: 'Passages with almost the same text' }),
  })
  .meta({ id: 'Passage', description: 'A passage of a document with its citation.' });

const linkedPassageSchema = passageSchema
  .extend({ namedIn: z.int().meta({ description: 'Citation number of the passage that names the document' }) })
  .meta({ id: 'LinkedPassage', description: 'A passage of a document that a found passage names.' });

export const searchResultSchema = z
  .object({
    callId: uuidSchema.meta({ description: 'Id of the search call in the audit log' }),
    configuration: uuidSchema,
    passages: z.array(passageSchema),
    linked: z.array(linkedPassageSchema).meta({
      description:
        'Up to three documents that the passages name by a ticket key or an address, each with the passage that matches the query best. Their citations continue the numbers',
    }),
    sources: z.int().meta({ description: 'Number of searched connections' }),
    documents: z.int().meta({ description: 'Number of searched documents that you may read' }),
    meaning: z
      .enum(['off', 'used', 'unavailable'])
      .meta({ description: 'Whether passages were also searched by meaning' }),
  })
  .meta({ id: 'Found' });

export const documentSchema = z
  .object({
    callId: uuidSchema.meta({ description: 'Id of the read call in the audit log' }),
    configuration: uuidSchema,
    ...citationFields,
    text: z.string(),
    next: z.int().nullable().meta({ description: 'Pass it as "from" to continue; null at the end' }),
  })
  .meta({ id: 'Document' });

type ApiCallReference = { callId: string; configuration: string };

/** Built-in tools return data of a known shape. `parse` drops fields that are not part of the API. */
export function toApiSearchResult(
  callReference: ApiCallReference,
  structured: JsonValue | undefined,
): z.output<typeof searchResultSchema> {
  const { passages, linked, ...counts } = structured as {
    passages: { chunkId: string }[];
    linked: { linkedFrom: string }[];
  };
  const numbers = new Map(passages.map(({ chunkId }, index) => [chunkId, index + 1]));
  return searchResultSchema.parse({
    ...counts,
    ...callReference,
    passages: passages.map((one, index) => ({ ...one, n: index + 1 })),
    linked: linked.map((one, index) => ({
      ...one,
      n: passages.length + index + 1,
      namedIn: numbers.get(one.linkedFrom),
    })),
  });
}

export const toApiDocument = (
  callReference: ApiCallReference,
  structured: JsonValue | undefined,
): z.output<typeof documentSchema> => documentSchema.parse({ ...(structured as object), ...callReference });

import { z } from 'zod';
import type { JsonValue } from '../platform/json/strict-json.js';
import { uuidSchema, timeSchema } from './schemas.js';

/* What the knowledge tools of the gate give, on the wire. */

export const apiDocumentKinds = ['code', 'ticket', 'doc', 'message'] as const;

const citationFields = {
  documentId: uuidSchema,
  title: z.string(),
  url: z.string().nullable().meta({ description: 'Where a person can read it' }),
  source: z.string().meta({ description: 'Short name of the connection that it came from' }),
  kind: z.enum(apiDocumentKinds),
  position: z.string().meta({ description: 'Lines or page' }),
  updatedAt: timeSchema.nullable(),
  retrievedAt: timeSchema.meta({ description: 'When we last saw it like this' }),
};

const passageSchema = z
  .object({
    n: z.int().meta({ description: 'To cite it by: [1], [2], …' }),
    ...citationFields,
    heading: z.string(),
    snippet: z.string(),
    highlights: z
      .array(z.tuple([z.int(), z.int()]))
      .meta({ description: 'From and to of what was found, in the snippet' }),
    text: z.string(),
    score: z.number(),
    coverage: z.number().meta({ description: 'How much of what was asked for it has, 0 to 1' }),
  })
  .meta({ id: 'Passage', description: 'A place in a document, with everything that a citation needs.' });

export const searchResultSchema = z
  .object({
    callId: uuidSchema.meta({ description: 'The search in the records' }),
    configuration: uuidSchema,
    passages: z.array(passageSchema),
    sources: z.int().meta({ description: 'Connections that were searched' }),
    documents: z.int().meta({ description: 'Documents in them that you may read' }),
  })
  .meta({ id: 'Found' });

export const documentSchema = z
  .object({
    callId: uuidSchema.meta({ description: 'The reading in the records' }),
    configuration: uuidSchema,
    ...citationFields,
    text: z.string(),
    next: z.int().nullable().meta({ description: 'To read on, pass it as "from"; null at the end' }),
  })
  .meta({ id: 'Document' });

type ApiCallReference = { callId: string; configuration: string };

/** Our own tools give data of a known form. What it has beyond that, the wire does not promise. */
export function toApiSearchResult(
  callReference: ApiCallReference,
  structured: JsonValue | undefined,
): z.output<typeof searchResultSchema> {
  const { passages, ...counts } = structured as { passages: object[] };
  return searchResultSchema.parse({
    ...counts,
    ...callReference,
    passages: passages.map((one, index) => ({ ...one, n: index + 1 })),
  });
}

export const toApiDocument = (
  callReference: ApiCallReference,
  structured: JsonValue | undefined,
): z.output<typeof documentSchema> => documentSchema.parse({ ...(structured as object), ...callReference });

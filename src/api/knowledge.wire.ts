import { z } from 'zod';
import type { JsonValue } from '../platform/json/strict-json.js';
import { id, time } from './schemas.js';

/* What the knowledge tools of the gate give, on the wire. */

export const kinds = ['code', 'ticket', 'doc', 'message'] as const;

const cited = {
  documentId: id,
  title: z.string(),
  url: z.string().nullable().meta({ description: 'Where a person can read it' }),
  source: z.string().meta({ description: 'Short name of the connection that it came from' }),
  kind: z.enum(kinds),
  position: z.string().meta({ description: 'Lines or page' }),
  updatedAt: time.nullable(),
  retrievedAt: time.meta({ description: 'When we last saw it like this' }),
};

const passage = z
  .object({
    n: z.int().meta({ description: 'To cite it by: [1], [2], …' }),
    ...cited,
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

export const found = z
  .object({
    callId: id.meta({ description: 'The search in the records' }),
    configuration: id,
    passages: z.array(passage),
    sources: z.int().meta({ description: 'Connections that were searched' }),
    documents: z.int().meta({ description: 'Documents in them that you may read' }),
  })
  .meta({ id: 'Found' });

export const reading = z
  .object({
    callId: id.meta({ description: 'The reading in the records' }),
    configuration: id,
    ...cited,
    text: z.string(),
    next: z.int().nullable().meta({ description: 'To read on, pass it as "from"; null at the end' }),
  })
  .meta({ id: 'Document' });

type Made = { callId: string; configuration: string };

/** Our own tools give data of a known form. What it has beyond that, the wire does not promise. */
export function foundOnWire(made: Made, structured: JsonValue | undefined): z.output<typeof found> {
  const { passages, ...counts } = structured as { passages: object[] };
  return found.parse({ ...counts, ...made, passages: passages.map((one, index) => ({ ...one, n: index + 1 })) });
}

export const readingOnWire = (made: Made, structured: JsonValue | undefined): z.output<typeof reading> =>
  reading.parse({ ...(structured as object), ...made });

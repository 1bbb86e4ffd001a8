import { z } from 'zod';

type JsonSchema = Record<string, unknown>;

/** JSON Schemas of zod's: those with an id once, under `components/schemas`, and named by reference everywhere else. */
export class JsonSchemaComponents {
  readonly all: Record<string, JsonSchema> = {};

  /** As it travels. */
  ofInput(schema: z.core.$ZodType): JsonSchema {
    return this.convert(schema, 'input');
  }

  /** As it is meant: a parameter is text on the wire, and a number to its reader. */
  ofOutput(schema: z.core.$ZodType): JsonSchema {
    return this.convert(schema, 'output');
  }

  private convert(schema: z.core.$ZodType, io: 'input' | 'output'): JsonSchema {
    const { $schema: _, $defs = {}, ...own } = z.toJSONSchema(schema, { io }) as JsonSchema & { $defs?: object };
    for (const [id, definition] of Object.entries($defs))
      this.all[id] = withComponentReferences(definition) as JsonSchema;
    return withComponentReferences(own) as JsonSchema;
  }
}

function withComponentReferences(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withComponentReferences);
  if (typeof part !== 'object' || part === null) return part;
  const entries = Object.entries(part).filter(([key]) => key !== 'pattern' || !('format' in part)); // the format says it
  return Object.fromEntries(
    entries.map(([key, value]) =>
      key === '$ref'
        ? [key, String(value).replace('#/$defs/', '#/components/schemas/')]
        : [key, withComponentReferences(value)],
    ),
  );
}

import { z } from 'zod';

type JsonSchema = Record<string, unknown>;

/** Converts zod schemas to JSON Schema. Schemas with an id go to `components/schemas` and are referenced elsewhere. */
export class JsonSchemaComponents {
  readonly all: Record<string, JsonSchema> = {};

  /** The wire format. */
  ofInput(schema: z.core.$ZodType): JsonSchema {
    return this.convert(schema, 'input');
  }

  /** The parsed form, for parameters: a number is documented as a number, although it is text on the wire. */
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
  const entries = Object.entries(part).filter(([key]) => key !== 'pattern' || !('format' in part)); // the format implies the pattern
  return Object.fromEntries(
    entries.map(([key, value]) =>
      key === '$ref'
        ? [key, String(value).replace('#/$defs/', '#/components/schemas/')]
        : [key, withComponentReferences(value)],
    ),
  );
}

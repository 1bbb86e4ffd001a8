import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import type { Connector } from './connections/connector-registry.service.js';

const connectorSchema = z.looseObject({
  id: z.string().regex(/^[a-z][a-z0-9-]{0,31}$/),
  title: z.string().min(1),
  setUp: z.string().min(1),
  fields: z.array(z.looseObject({ name: z.string().min(1) })),
  offers: z.array(z.enum(['tools', 'knowledge', 'model', 'embeddings', 'spend', 'estate'])),
  verify: z.function(),
});

/** Loads the custom connectors of the operator. Each file has a connector as its default export. */
export async function loadConnectors(files: readonly string[]): Promise<Connector[]> {
  const connectors: Connector[] = [];
  for (const file of files) {
    const { default: connector } = await load(file);
    const read = connectorSchema.safeParse(connector);
    if (!read.success) {
      const errors = read.error.issues.map((issue) => `${issue.path.join('.') || 'default export'}: ${issue.message}`);
      throw new Error(`CONNECTORS: ${file} is not a connector (${errors.join('; ')})`);
    }
    connectors.push(connector as Connector);
  }
  return connectors;
}

async function load(file: string): Promise<{ default?: unknown }> {
  try {
    return (await import(pathToFileURL(file).href)) as { default?: unknown };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`CONNECTORS: ${file} cannot be loaded (${reason})`, { cause: error });
  }
}

import { z } from 'zod';
import type { Configuration } from '../configurations/configuration.entity.js';
import type { ListedTool } from '../gate/gate.service.js';
import { uuidSchema, timeSchema } from './schemas.js';

/* The wire format of configurations and their tools. */

export const configurationSchema = z
  .object({
    id: uuidSchema,
    name: z.string(),
    description: z.string(),
    isPaused: z.boolean().meta({ description: 'An administrator has paused it: calls are refused, tasks wait' }),
    createdAt: timeSchema,
  })
  .meta({ id: 'Configuration', description: 'A bundle of connected systems and policies that you may use.' });

export const toApiConfiguration = ({
  id,
  name,
  description,
  pausedAt,
  createdAt,
}: Configuration): z.output<typeof configurationSchema> => ({
  id,
  name,
  description,
  isPaused: pausedAt !== null,
  createdAt: createdAt.toISOString(),
});

const jsonSchema = z.record(z.string(), z.unknown());

export const toolSchema = z
  .object({
    name: z.string().meta({ description: '`<connection>__<tool>`' }),
    title: z.string(),
    description: z.string(),
    connection: z.string().meta({ description: 'Slug of the connection' }),
    effect: z.enum(['read', 'write', 'destructive']),
    needsApproval: z.boolean().meta({ description: 'Calls require an approval. The arguments can change this' }),
    inputSchema: jsonSchema.meta({ description: 'JSON Schema of the arguments' }),
    outputSchema: jsonSchema.nullable().meta({ description: 'JSON Schema of the structured result' }),
  })
  .meta({ id: 'Tool' });

export const toApiTool = ({
  name,
  title,
  description,
  connectionSlug: connection,
  effect,
  verdict,
  inputSchema,
  outputSchema,
}: ListedTool): z.output<typeof toolSchema> => ({
  name,
  title,
  description,
  connection,
  effect,
  needsApproval: verdict === 'approval',
  inputSchema,
  outputSchema: outputSchema ?? null,
});

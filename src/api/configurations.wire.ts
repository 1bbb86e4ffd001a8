import { z } from 'zod';
import type { Configuration } from '../configurations/configuration.entity.js';
import type { ListedTool } from '../gate/gate.service.js';
import { id, time } from './schemas.js';

/* Configurations and their tools, on the wire. */

export const configuration = z
  .object({
    id,
    name: z.string(),
    description: z.string(),
    isPaused: z.boolean().meta({ description: 'An administrator has stopped it: calls are refused, tasks wait' }),
    createdAt: time,
  })
  .meta({ id: 'Configuration', description: 'A bundle of connected systems and policies that you may use.' });

export const configurationOnWire = ({
  id,
  name,
  description,
  pausedAt,
  createdAt,
}: Configuration): z.output<typeof configuration> => ({
  id,
  name,
  description,
  isPaused: pausedAt !== null,
  createdAt: createdAt.toISOString(),
});

const jsonSchema = z.record(z.string(), z.unknown());

export const tool = z
  .object({
    name: z.string().meta({ description: '`<connection>__<tool>`' }),
    title: z.string(),
    description: z.string(),
    connection: z.string().meta({ description: 'Short name of the connection' }),
    effect: z.enum(['read', 'write', 'destructive']),
    needsApproval: z
      .boolean()
      .meta({ description: 'A person has to decide before it runs; arguments may matter, too' }),
    inputSchema: jsonSchema.meta({ description: 'JSON Schema of the arguments' }),
    outputSchema: jsonSchema.nullable().meta({ description: 'JSON Schema of the structured result' }),
  })
  .meta({ id: 'Tool' });

export const toolOnWire = ({
  name,
  title,
  description,
  connectionSlug: connection,
  effect,
  verdict,
  inputSchema,
  outputSchema,
}: ListedTool): z.output<typeof tool> => ({
  name,
  title,
  description,
  connection,
  effect,
  needsApproval: verdict === 'approval',
  inputSchema,
  outputSchema: outputSchema ?? null,
});

import { z } from 'zod';
import { isTerminal, type Task, taskStates } from '../tasks/task.entity.js';
import type { TaskUpdate } from '../tasks/task-feed.service.js';
import { uuidSchema, timeSchema } from './schemas.js';

/* The wire format of tasks. */

const apiPartSchema = z
  .object({
    text: z.string().optional(),
    data: z.unknown().optional(),
    raw: z.string().optional(),
    url: z.string().optional(),
    mediaType: z.string().optional(),
    filename: z.string().optional(),
  })
  .meta({ id: 'Part', description: 'Text, data, a file in base64 ("raw"), or the URL of a file.' });

const apiStatusSchema = z
  .object({
    state: z.enum(taskStates),
    timestamp: timeSchema,
    message: z.object({ role: z.literal('agent'), parts: z.array(z.object({ text: z.string() })) }).optional(),
    metadata: z
      .object({
        reason: z
          .enum(['approval', 'information', 'credentials', 'pause', 'quarantine'])
          .optional()
          .meta({ description: 'What the task waits for' }),
        answersWith: z.literal('message').optional().meta({ description: 'The result is a message without artifacts' }),
        approvalId: uuidSchema.optional(),
        notFourEyes: z.boolean().optional(),
        tool: z.string().optional(),
        expiresAt: timeSchema.optional(),
        missing: z.array(z.string()).optional(),
      })
      .optional(),
    error: z.object({ code: z.string(), detail: z.string(), callId: uuidSchema.optional() }).optional(),
  })
  .meta({ id: 'TaskStatus' });

const apiArtifactsSchema = z
  .array(
    z
      .object({
        artifactId: z.string(),
        name: z.string(),
        description: z.string().optional(),
        parts: z.array(apiPartSchema),
      })
      .meta({
        id: 'Artifact',
        description:
          'A result of the task. Answers from knowledge contain a data part `{kind:"citations"}`, actions `{kind:"receipt"}`.',
      }),
  )
  .nullable()
  .meta({ description: 'Set once the task is completed' });

const apiChunkSchema = z
  .object({
    artifactId: z.string(),
    name: z.string().optional(),
    parts: z.array(apiPartSchema),
    append: z.boolean().meta({ description: 'Whether to append the parts to the artifact or replace it' }),
    lastChunk: z.boolean().meta({ description: 'This is the last chunk of the artifact' }),
  })
  .meta({ id: 'ArtifactChunk', description: 'A part of an artifact, sent while the task is processed.' });

export const taskSchema = z
  .object({
    id: z.string().meta({ description: 'The id that you set, or a UUID' }),
    configuration: uuidSchema,
    status: apiStatusSchema,
    artifacts: apiArtifactsSchema,
    createdAt: timeSchema,
    updatedAt: timeSchema,
  })
  .meta({ id: 'Task', description: 'Work that the service agent does for you.' });

export const taskWithHistorySchema = taskSchema
  .extend({
    history: z
      .array(z.object({ role: z.enum(['user', 'agent']), parts: z.array(apiPartSchema) }))
      .optional()
      .meta({ description: 'The newest messages, if "historyLength" is set' }),
  })
  .meta({ id: 'TaskWithHistory' });

export const taskUpdateSchema = z
  .object({
    id: z.string(),
    status: apiStatusSchema,
    artifacts: apiArtifactsSchema,
    chunk: apiChunkSchema.optional(),
    final: z.boolean().meta({ description: 'This is the last update' }),
  })
  .meta({ id: 'TaskUpdate' });

export const toApiTask = ({
  externalId: id,
  configurationId: configuration,
  status,
  artifacts,
  createdAt,
  updatedAt,
}: Task): z.output<typeof taskSchema> => ({
  id,
  configuration,
  status,
  artifacts: status.state === 'completed' ? artifacts : null,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});

/** Formats a `task_update` event. */
export function toApiTaskUpdateEvent(id: string, { number, status, artifacts, chunk }: TaskUpdate) {
  const update: z.output<typeof taskUpdateSchema> = {
    id,
    status,
    artifacts,
    ...(chunk ? { chunk } : {}),
    final: isTerminal(status.state),
  };
  return { event: 'task_update', id: number, data: JSON.stringify(update) };
}

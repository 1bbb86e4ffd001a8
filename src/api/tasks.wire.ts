import { z } from 'zod';
import { isTerminal, type Task, taskStates } from '../tasks/task.entity.js';
import type { TaskUpdate } from '../tasks/task-feed.service.js';
import { uuidSchema, timeSchema } from './schemas.js';

/* Tasks, on the wire. */

const apiPartSchema = z
  .object({
    text: z.string().optional(),
    data: z.unknown().optional(),
    raw: z.string().optional(),
    url: z.string().optional(),
    mediaType: z.string().optional(),
    filename: z.string().optional(),
  })
  .meta({ id: 'Part', description: 'Words, data, a file in base64 ("raw"), or its address.' });

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
          .meta({ description: 'What it waits for' }),
        answersWith: z.literal('message').optional().meta({ description: 'What came out is a bare message' }),
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
          'What came out. Answers from knowledge have a data part `{kind:"citations"}`, actions one `{kind:"receipt"}`.',
      }),
  )
  .nullable()
  .meta({ description: 'Once it is completed' });

const apiChunkSchema = z
  .object({
    artifactId: z.string(),
    name: z.string().optional(),
    parts: z.array(apiPartSchema),
    append: z.boolean().meta({ description: 'Comes after what was shown before; else takes its place' }),
    lastChunk: z.boolean().meta({ description: 'Nothing more comes of this artifact' }),
  })
  .meta({ id: 'ArtifactChunk', description: 'A piece of an artifact, while the task is being worked on.' });

export const taskSchema = z
  .object({
    id: z.string().meta({ description: 'As you named it, or a UUID' }),
    configuration: uuidSchema,
    status: apiStatusSchema,
    artifacts: apiArtifactsSchema,
    createdAt: timeSchema,
    updatedAt: timeSchema,
  })
  .meta({ id: 'Task', description: 'A piece of work that the service agent does for you.' });

export const taskWithHistorySchema = taskSchema
  .extend({
    history: z
      .array(z.object({ role: z.enum(['user', 'agent']), parts: z.array(apiPartSchema) }))
      .optional()
      .meta({ description: 'The newest messages, where "historyLength" asks for them' }),
  })
  .meta({ id: 'TaskWithHistory' });

export const taskUpdateSchema = z
  .object({
    id: z.string(),
    status: apiStatusSchema,
    artifacts: apiArtifactsSchema,
    chunk: apiChunkSchema.optional(),
    final: z.boolean().meta({ description: 'Nothing comes after it' }),
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

/** One `task_update` of a stream. */
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

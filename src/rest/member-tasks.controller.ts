import { Get, Injectable, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { CredentialRevalidationService } from '../access/credential-revalidation.service.js';
import { configurationNotFound, configurationRequired } from '../configurations/configurations.error.js';
import { Config } from '../platform/config/config.js';
import { invalidRequest, tooLarge } from '../platform/errors/general.error.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { MemberTasksService } from '../tasks/member-tasks.service.js';
import { readParts, messageSchema } from '../tasks/messages.port.js';
import { taskStates } from '../tasks/task.entity.js';
import { taskExists, taskNotCancelable, taskNotFound } from '../tasks/task.error.js';
import { TaskStreamsService } from '../tasks/task-streams.service.js';
import { isTaskId, TasksService } from '../tasks/tasks.service.js';
import { ApiResult } from './api-result.interceptor.js';
import { reservedIdOf } from './idempotency-key.interceptor.js';
import { memberApiUrl } from './member-api-url.js';
import { OperationRequest, type OperationInput, defineOperation, Serves } from './operation.js';
import {
  configurationIdParameter,
  pathParameter,
  nextCursorSchema,
  pagingParameters,
  exampleValues,
  integerParameter,
} from './schemas.js';
import { taskSchema, toApiTask, taskUpdateSchema, taskWithHistorySchema, toApiTaskUpdateEvent } from './tasks.wire.js';

const exampleTask = {
  id: exampleValues.task,
  configuration: exampleValues.configuration,
  status: { state: 'submitted', timestamp: exampleValues.time },
  artifacts: null,
  createdAt: exampleValues.time,
  updatedAt: exampleValues.time,
};
const taskPathParameters = z.object({ id: pathParameter('Id of the task') });

const listTasks = defineOperation({
  id: 'listTasks',
  tag: 'Tasks',
  summary: 'List your tasks',
  description: 'The tasks that you submitted through this product, newest first.',
  scope: 'api:read',
  query: z.strictObject({
    state: z.enum(taskStates, `has to be one of ${taskStates.join(', ')}`).optional(),
    configuration: configurationIdParameter.optional().meta({ description: 'Only tasks of this configuration' }),
    ...pagingParameters,
  }),
  answers: {
    200: {
      description: 'A page of tasks',
      schema: z.object({ tasks: z.array(taskSchema), nextCursor: nextCursorSchema }).meta({ id: 'TaskPage' }),
      example: { tasks: [exampleTask], nextCursor: null },
    },
  },
  problems: [],
});

const createTask = defineOperation({
  id: 'createTask',
  tag: 'Tasks',
  summary: 'Submit or continue a task',
  description:
    'The service agent works on the task for you; follow its events. If you set "id", you can safely send the request again. With the id of a task that waits for information, the message continues that task.',
  scope: 'api:write',
  body: z.strictObject({
    id: z
      .string()
      .refine(isTaskId, 'has to be 1 to 128 characters of A-Z a-z 0-9 . _ : - and not "." or ".."')
      .optional()
      .meta({
        description: 'Your id of the task: 1 to 128 characters of A-Z a-z 0-9 . _ : -. Defaults to a generated UUID',
      }),
    configuration: configurationIdParameter.optional(),
    message: messageSchema,
  }),
  bodyExample: {
    configuration: exampleValues.configuration,
    message: { role: 'user', parts: [{ text: 'How many working days does the security check of new software take?' }] },
  },
  answers: {
    201: {
      description: 'The task is stored and will be processed',
      schema: taskSchema,
      headers: { Location: 'URL of the task' },
      example: exampleTask,
    },
    200: {
      description: 'The message continued a task or was already received',
      schema: taskSchema,
      headers: { Location: 'URL of the task' },
      example: exampleTask,
    },
  },
  problems: [configurationRequired, configurationNotFound, taskExists, tooLarge],
});

const getTask = defineOperation({
  id: 'getTask',
  tag: 'Tasks',
  summary: 'Get a task',
  description: 'Returns its state and, once it is completed, its result.',
  scope: 'api:read',
  params: taskPathParameters,
  query: z.strictObject({
    historyLength: integerParameter(0, 1000).optional().meta({ description: 'Number of newest messages to include' }),
  }),
  answers: { 200: { description: 'The task', schema: taskWithHistorySchema, example: exampleTask } },
  problems: [taskNotFound],
});

const cancelTask = defineOperation({
  id: 'cancelTask',
  tag: 'Tasks',
  summary: 'Cancel a task',
  description: 'Withdraws pending approvals. A call in progress is not undone. Canceling a canceled task succeeds.',
  scope: 'api:write',
  params: taskPathParameters,
  answers: {
    200: {
      description: 'The task is canceled',
      schema: taskSchema,
      example: { ...exampleTask, status: { state: 'canceled', timestamp: exampleValues.time } },
    },
  },
  problems: [taskNotFound, taskNotCancelable],
});

const followTask = defineOperation({
  id: 'followTask',
  tag: 'Tasks',
  summary: 'Stream the events of a task',
  description:
    'Server-sent events `task_update`, numbered by `id`, from the first event or after "Last-Event-ID". Each `data` is a TaskUpdate. The stream ends after the last event and when you or the product lose access. A comment is sent every 15 seconds.',
  scope: 'api:read',
  params: taskPathParameters,
  headers: { 'Last-Event-ID': 'Number of the last event that you received' },
  answers: {
    200: {
      description: 'The stream',
      mediaType: 'text/event-stream',
      schema: taskUpdateSchema,
      example: `id: 1\nevent: task_update\ndata: ${JSON.stringify({ id: exampleValues.task, status: exampleTask.status, artifacts: null, final: false })}\n\n`,
    },
  },
  problems: [taskNotFound],
});

@Injectable()
export abstract class MemberTasksController {
  constructor(
    private readonly memberTasks: MemberTasksService,
    private readonly tasks: TasksService,
    private readonly streams: TaskStreamsService,
    private readonly credentialRevalidation: CredentialRevalidationService,
    private readonly config: Config,
  ) {}

  @Get()
  @Serves(listTasks)
  async list(
    @CurrentPrincipal() principal: Principal,
    @OperationRequest() { query }: OperationInput<typeof listTasks>,
  ) {
    const { configuration: configurationId, ...page } = query;
    const { tasks, nextCursor } = await this.memberTasks.list(principal, { ...page, configurationId });
    return { tasks: tasks.map(toApiTask), nextCursor };
  }

  @Post()
  @Serves(createTask)
  async create(
    @CurrentPrincipal() principal: Principal,
    @OperationRequest() { body, source }: OperationInput<typeof createTask>,
    @Req() request: Request,
  ) {
    const { id = reservedIdOf(request).id, configuration: configurationId, message } = body;
    const parts = readParts(message, source, this.config.limits);
    const { task, outcome } = await this.memberTasks.submit(principal, { id, configurationId, parts });
    // only this request knows a generated id: an existing task was created by it before a crash
    const isNew = outcome === 'created' || body.id === undefined;
    return new ApiResult(isNew ? 201 : 200, toApiTask(task), {
      Location: `${memberApiUrl(this.config, principal)}/tasks/${encodeURIComponent(id)}`,
    });
  }

  @Get(':id')
  @Serves(getTask)
  async get(
    @CurrentPrincipal() principal: Principal,
    @OperationRequest() { params, query }: OperationInput<typeof getTask>,
  ) {
    const task = toApiTask(await this.memberTasks.get(principal, params.id));
    const { historyLength } = query;
    if (historyLength === undefined) return task;
    return {
      ...task,
      history: await this.tasks.history(principal, await this.tasks.get(principal, params.id), historyLength),
    };
  }

  @Post(':id/cancel')
  @Serves(cancelTask)
  async cancel(
    @CurrentPrincipal() principal: Principal,
    @OperationRequest() { params }: OperationInput<typeof cancelTask>,
  ) {
    return toApiTask(await this.memberTasks.cancel(principal, params.id));
  }

  @Get(':id/events')
  @Serves(followTask)
  async follow(
    @CurrentPrincipal() principal: Principal,
    @OperationRequest() { params }: OperationInput<typeof followTask>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const after = lastEventId(request);
    const task = await this.tasks.get(principal, params.id);
    if (request.method === 'HEAD') return void response.type('text/event-stream').end();
    const slot = this.streams.reserve(principal);
    const onWire = toApiTaskUpdateEvent.bind(null, task.id);
    const hasLostAccess = async () => (await this.credentialRevalidation.revalidate(principal)) !== null;
    this.streams.open(principal, { task, after, slot, onWire, hasLostAccess }, request, response);
  }
}

/** The number of the last event that the client received; see the HTML standard, section 9.2.4. */
function lastEventId(request: Request): number {
  const header = request.get('Last-Event-ID');
  if (header === undefined || header === '') return 0;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  throw invalidRequest('Last-Event-ID must be the number of an event.', {
    errors: [{ pointer: '/Last-Event-ID', detail: 'has to be a number' }],
  });
}

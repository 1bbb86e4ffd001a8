import { Injectable } from '@nestjs/common';
import { newId } from '../../platform/crypto/ids.js';
import { Config } from '../../platform/config/config.js';
import type { Principal } from '../../principal/principal.js';
import { InputModesService } from '../../tasks/input-modes.service.js';
import { OwnTasksService } from '../../tasks/own-tasks.service.js';
import { RequiredExtensionsService } from '../../tasks/required-extensions.service.js';
import { isTerminal } from '../../tasks/task.entity.js';
import { type HistoryMessage, TasksService, type TaskView } from '../../tasks/tasks.service.js';
import { A2aError } from './errors.js';
import {
  type A2aSendRequest,
  parseHistoryLength,
  parseListRequest,
  parseSendRequest,
  parseTaskId,
} from './requests.js';
import {
  toA2aAnswer,
  isAnsweredByMessage,
  endsBlockingSend,
  type A2aSendResponse,
  type A2aTask,
  toA2aTask,
} from './task-mapping.js';

export interface A2aCaller {
  principal: Principal;
  configurationId: string;
  /** Extensions that the caller requests. */
  extensions: readonly string[];
}
export interface OpenedStream {
  task: TaskView;
  first: A2aTask;
  /** Stays open while the task waits for its caller, because another client may continue the task. */
  isOpenUntilTerminal?: boolean;
  /** What the reader has already received. The stream then sends the missing updates instead of the current task. */
  position?: StreamPosition;
}
/** All updates up to `number`, and the first `events` events of the next update. */
export interface StreamPosition {
  number: number;
  events: number;
}

/** For a send that waits for the outcome of its task. */
export interface BlockingSendOptions {
  /** Aborts when the client disconnects. */
  disconnected: AbortSignal;
  /** Called when the request starts to wait. */
  onWaiting?(): void;
}

/** After this time, a blocking send returns the current task. */
const maxBlockingWaitMs = 10 * 60_000;
const maxHistoryLength = 1000;

/** The operations of the A2A protocol, shared by all bindings and versions. */
@Injectable()
export class A2aOperationsService {
  constructor(
    private readonly tasks: TasksService,
    private readonly own: OwnTasksService,
    private readonly modes: InputModesService,
    private readonly required: RequiredExtensionsService,
    private readonly config: Config,
  ) {}

  parseSend(params: unknown, dataTexts: readonly (string | undefined)[] = []): A2aSendRequest {
    return parseSendRequest(params, dataTexts, this.config.limits);
  }

  async send(caller: A2aCaller, request: A2aSendRequest, options: BlockingSendOptions): Promise<A2aSendResponse> {
    let task = await this.submit(caller, request);
    if (request.isBlocking && !endsBlockingSend(task.status)) {
      options.onWaiting?.();
      await this.waitUntilInterrupted(caller.principal, task, options.disconnected);
      const { contextId } = task;
      task = { ...(await this.tasks.get(caller.principal, task.id)), contextId };
    }
    if (request.isBlocking && isAnsweredByMessage(task.status)) return { message: toA2aAnswer(task) };
    return { task: toA2aTask(task, await this.history(caller.principal, task, request.historyLength ?? 0)) };
  }

  async stream(caller: A2aCaller, request: A2aSendRequest): Promise<OpenedStream> {
    const task = await this.submit(caller, request);
    return { task, first: toA2aTask(task, await this.history(caller.principal, task, request.historyLength ?? 0)) };
  }

  async get({ principal }: A2aCaller, params: { id?: unknown; historyLength?: unknown }): Promise<A2aTask> {
    const maxMessages = parseHistoryLength(params.historyLength) ?? maxHistoryLength;
    const task = await this.tasks.get(principal, parseTaskId(params.id));
    return toA2aTask(task, await this.history(principal, task, maxMessages));
  }

  async list({ principal }: A2aCaller, params: unknown): Promise<object> {
    const { filter, isEmpty, pageSize, historyLength = 0, includeArtifacts } = parseListRequest(params);
    const { tasks, nextCursor, totalCount } = isEmpty
      ? { tasks: [], nextCursor: null, totalCount: 0 }
      : await this.own.list(principal, filter);
    const shown = await Promise.all(
      tasks.map(async (task) => {
        const { artifacts, ...open } = toA2aTask(task, await this.history(principal, task, historyLength));
        return includeArtifacts ? { ...open, artifacts: artifacts ?? [] } : open;
      }),
    );
    return { tasks: shown, nextPageToken: nextCursor ?? '', pageSize, totalSize: totalCount };
  }

  async cancel({ principal }: A2aCaller, params: { id?: unknown }): Promise<A2aTask> {
    const id = parseTaskId(params.id);
    const { contextId } = await this.tasks.get(principal, id);
    return toA2aTask({ ...(await this.tasks.cancel(principal, id)), contextId });
  }

  /** A reader that resumes also gets the end of a task that ended meanwhile. */
  async subscribe(
    { principal }: A2aCaller,
    params: { id?: unknown },
    position?: StreamPosition,
  ): Promise<OpenedStream> {
    const task = await this.tasks.get(principal, parseTaskId(params.id));
    const hasMissed = position !== undefined && position.number < task.number;
    if (isTerminal(task.status.state) && !hasMissed)
      throw new A2aError('unsupportedOperation', `The task is ${task.status.state} and has no further updates.`);
    const isAhead = position !== undefined && position.number > task.number;
    return {
      task,
      first: toA2aTask(task),
      isOpenUntilTerminal: true,
      position: isAhead ? { number: task.number, events: 0 } : position,
    };
  }

  private async submit(caller: A2aCaller, request: A2aSendRequest): Promise<TaskView> {
    const { principal, configurationId } = caller;
    const { messageId, parts, mediaTypes } = request;
    await this.requireExtension(caller);
    await this.modes.assertSupported(principal, configurationId, parts, mediaTypes);
    if (request.taskId === undefined) {
      const externalId = newId();
      const contextId = request.contextId ?? newId();
      const created = await this.tasks.submit(principal, { externalId, configurationId, parts, messageId, contextId });
      return { ...created, contextId };
    }
    const task = await this.tasks.get(principal, parseTaskId(request.taskId));
    if (request.contextId !== undefined && request.contextId !== (task.contextId ?? task.id))
      throw new A2aError('invalidParams', 'The task belongs to another context.', [
        { pointer: '/message/contextId', detail: 'is not the context of the task' },
      ]);
    if (isTerminal(task.status.state))
      throw new A2aError('unsupportedOperation', `The task is ${task.status.state} and accepts no further messages.`);
    const { outcome, ...continued } = await this.tasks.submit(principal, {
      externalId: task.id,
      configurationId,
      parts,
      messageId,
    });
    return { ...task, ...continued, artifacts: outcome === 'continued' ? task.artifacts : continued.artifacts };
  }

  private async requireExtension({ principal, configurationId, extensions }: A2aCaller): Promise<void> {
    const required = await this.required.findFor(principal, configurationId);
    if (required !== null && !extensions.includes(required))
      throw new A2aError(
        'extensionRequired',
        `This agent requires the extension ${required}. Name it in A2A-Extensions.`,
      );
  }

  private async history(principal: Principal, task: TaskView, most: number): Promise<HistoryMessage[] | undefined> {
    return most > 0 ? this.tasks.history(principal, task, most) : undefined;
  }

  private async waitUntilInterrupted(principal: Principal, task: TaskView, disconnected: AbortSignal): Promise<void> {
    if (disconnected.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const feed = this.tasks.follow(principal, task, task.number, ({ status }) => {
      if (endsBlockingSend(status)) resolve();
    });
    const timer = setTimeout(resolve, maxBlockingWaitMs);
    disconnected.addEventListener('abort', () => resolve(), { once: true });
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      feed.close();
    }
  }
}

import { Injectable } from '@nestjs/common';
import { newId } from '../../platform/crypto/ids.js';
import { Config } from '../../platform/config/config.js';
import type { Principal } from '../../principal/principal.js';
import { InputModes } from '../../tasks/input-modes.service.js';
import { OwnTasks } from '../../tasks/own-tasks.service.js';
import { RequiredExtensions } from '../../tasks/required-extensions.service.js';
import { isTerminal } from '../../tasks/task.entity.js';
import { type Said, TasksService, type TaskView } from '../../tasks/tasks.service.js';
import { OpenError } from './errors.js';
import { type OpenSend, readHistoryLength, readList, readSend, readTaskId } from './requests.js';
import { answerOf, isBareMessage, isInterrupted, type OpenAnswer, type OpenTask, taskOf } from './shapes.js';

/** Whose request it is, and to which configuration. */
export interface Caller {
  principal: Principal;
  configurationId: string;
  /** Extensions that it names. */
  extensions: readonly string[];
}
export interface OpenedStream {
  task: TaskView;
  first: OpenTask;
  /** Stays open while the task waits for its caller: somebody else may be the one who goes on with it. */
  isToEnd?: boolean;
  /** What its reader has already: the rest is told, and not the task as it is. */
  seen?: Seen;
}
/** All updates up to a number, and of the next one so many of the events that tell of it. */
export interface Seen {
  number: number;
  events: number;
}

/** Of a send that waits for what becomes of its task. */
export interface Waiting {
  /** Whoever asked has left. */
  gone: AbortSignal;
  /** From now on nothing is done for it. */
  begin?(): void;
}

/** A blocking send is answered with the task as it is by then. */
const longestWaitMs = 10 * 60_000;
const mostHistory = 1000;

/** The operations of the open protocol, the same through every binding and version. */
@Injectable()
export class Operations {
  constructor(
    private readonly tasks: TasksService,
    private readonly own: OwnTasks,
    private readonly modes: InputModes,
    private readonly required: RequiredExtensions,
    private readonly config: Config,
  ) {}

  read(params: unknown, dataTexts: readonly (string | undefined)[] = []): OpenSend {
    return readSend(params, dataTexts, this.config.limits);
  }

  async send(caller: Caller, sent: OpenSend, waiting: Waiting): Promise<OpenAnswer> {
    let task = await this.submit(caller, sent);
    if (sent.isBlocking && !isInterrupted(task.status)) {
      waiting.begin?.();
      await this.untilInterrupted(caller.principal, task, waiting.gone);
      const { contextId } = task;
      task = { ...(await this.tasks.get(caller.principal, task.id)), contextId };
    }
    if (sent.isBlocking && isBareMessage(task.status)) return { message: answerOf(task) };
    return { task: taskOf(task, await this.history(caller.principal, task, sent.historyLength ?? 0)) };
  }

  async stream(caller: Caller, sent: OpenSend): Promise<OpenedStream> {
    const task = await this.submit(caller, sent);
    return { task, first: taskOf(task, await this.history(caller.principal, task, sent.historyLength ?? 0)) };
  }

  async get({ principal }: Caller, params: { id?: unknown; historyLength?: unknown }): Promise<OpenTask> {
    const most = readHistoryLength(params.historyLength) ?? mostHistory;
    const task = await this.tasks.get(principal, readTaskId(params.id));
    return taskOf(task, await this.history(principal, task, most));
  }

  async list({ principal }: Caller, params: unknown): Promise<object> {
    const { filter, isEmpty, pageSize, historyLength = 0, includeArtifacts } = readList(params);
    const { tasks, nextCursor, totalCount } = isEmpty
      ? { tasks: [], nextCursor: null, totalCount: 0 }
      : await this.own.list(principal, filter);
    const shown = await Promise.all(
      tasks.map(async (task) => {
        const { artifacts, ...open } = taskOf(task, await this.history(principal, task, historyLength));
        return includeArtifacts ? { ...open, artifacts: artifacts ?? [] } : open;
      }),
    );
    return { tasks: shown, nextPageToken: nextCursor ?? '', pageSize, totalSize: totalCount };
  }

  async cancel({ principal }: Caller, params: { id?: unknown }): Promise<OpenTask> {
    const id = readTaskId(params.id);
    const { contextId } = await this.tasks.get(principal, id);
    return taskOf({ ...(await this.tasks.cancel(principal, id)), contextId });
  }

  /** A reader that comes back is told how a task ended that has ended since. */
  async subscribe({ principal }: Caller, params: { id?: unknown }, seen?: Seen): Promise<OpenedStream> {
    const task = await this.tasks.get(principal, readTaskId(params.id));
    const hasMissed = seen !== undefined && seen.number < task.number;
    if (isTerminal(task.status.state) && !hasMissed)
      throw new OpenError('unsupportedOperation', `The task is ${task.status.state}: nothing more happens to it.`);
    const isAhead = seen !== undefined && seen.number > task.number;
    return { task, first: taskOf(task), isToEnd: true, seen: isAhead ? { number: task.number, events: 0 } : seen };
  }

  private async submit(caller: Caller, sent: OpenSend): Promise<TaskView> {
    const { principal, configurationId } = caller;
    const { messageId, parts, mediaTypes } = sent;
    await this.refuseWithoutExtension(caller);
    await this.modes.refuseUnread(principal, configurationId, parts, mediaTypes);
    if (sent.taskId === undefined) {
      const externalId = newId();
      const contextId = sent.contextId ?? newId();
      const made = await this.tasks.submit(principal, { externalId, configurationId, parts, messageId, contextId });
      return { ...made, contextId };
    }
    const task = await this.tasks.get(principal, readTaskId(sent.taskId));
    if (sent.contextId !== undefined && sent.contextId !== (task.contextId ?? task.id))
      throw new OpenError('invalidParams', 'The task belongs to another context.', [
        { pointer: '/message/contextId', detail: 'is not the context of the task' },
      ]);
    if (isTerminal(task.status.state))
      throw new OpenError('unsupportedOperation', `The task is ${task.status.state} and takes no more messages.`);
    const { outcome, ...continued } = await this.tasks.submit(principal, {
      externalId: task.id,
      configurationId,
      parts,
      messageId,
    });
    return { ...task, ...continued, artifacts: outcome === 'continued' ? task.artifacts : continued.artifacts };
  }

  private async refuseWithoutExtension({ principal, configurationId, extensions }: Caller): Promise<void> {
    const required = await this.required.of(principal, configurationId);
    if (required !== null && !extensions.includes(required))
      throw new OpenError('extensionRequired', `This agent takes messages with the extension ${required} only.`);
  }

  private async history(principal: Principal, task: TaskView, most: number): Promise<Said[] | undefined> {
    return most > 0 ? this.tasks.history(principal, task, most) : undefined;
  }

  private async untilInterrupted(principal: Principal, task: TaskView, gone: AbortSignal): Promise<void> {
    if (gone.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const feed = this.tasks.follow(principal, task, task.number, ({ status }) => {
      if (isInterrupted(status)) resolve();
    });
    const patience = setTimeout(resolve, longestWaitMs);
    gone.addEventListener('abort', () => resolve(), { once: true });
    try {
      await promise;
    } finally {
      clearTimeout(patience);
      feed.close();
    }
  }
}

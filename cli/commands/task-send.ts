import { randomUUID } from 'node:crypto';
import { text as readAll } from 'node:stream/consumers';
import { resolveConfiguration } from '../client/configurations.js';
import { sendUntilAnswered } from '../client/retry.js';
import { exitCodeOf, type ServerClient } from '../client/server-client.js';
import { followTask } from '../client/task-stream.js';
import type { Task, TaskStatus } from '../client/wire.js';
import type { CommandContext } from '../command-context.js';
import { CommandError } from '../command-error.js';
import { exitCodes } from '../exit-codes.js';
import { canceled, isInteractive } from '../terminal/output.js';
import { plainLines, plainText } from '../terminal/plain-text.js';
import { showArtifacts, writeArtifacts } from './artifacts.js';
import { approvalLink, TaskProgress } from './task-progress.js';
import { messageText } from './task-text.js';

export interface TaskOutputOptions {
  output?: string;
  overwrite?: boolean;
  wait: boolean;
}
export interface SendOptions extends TaskOutputOptions {
  id?: string;
  configuration?: string;
}

export async function sendTask(context: CommandContext, words: string[], options: SendOptions): Promise<void> {
  const text = words.length ? words.join(' ') : await readText();
  const client = await context.server();
  const { id = randomUUID() } = options;
  const known = options.id === undefined ? null : await findTask(client, id);
  const configuration = known?.configuration ?? (await resolveConfiguration(context, client, options.configuration)).id;
  const task = await send(client, { id, configuration, text });
  if (!options.wait) return showSent(context, task);
  await watch(context, client, task, options);
}

export async function watchTask(context: CommandContext, id: string, options: TaskOutputOptions): Promise<void> {
  const client = await context.server();
  await watch(context, client, await getTask(client, id), options);
}

const getTask = (client: ServerClient, id: string): Promise<Task> =>
  client.getJson(`/cli/tasks/${encodeURIComponent(id)}`);

async function readText(): Promise<string> {
  if (process.stdin.isTTY) throw usage('Describe the task, or pass the text on stdin.');
  const text = (await readAll(process.stdin)).trim();
  if (!text) throw usage('The text of the task is empty.');
  return text;
}

async function findTask(client: ServerClient, id: string): Promise<Task | null> {
  try {
    return await getTask(client, id);
  } catch (error) {
    if (error instanceof CommandError && error.code === 'task-not-found') return null;
    throw error;
  }
}

/** The id of the task makes sure that a request that is sent again takes effect once. */
function send(
  client: ServerClient,
  { id, configuration, text }: { id: string; configuration: string; text: string },
): Promise<Task> {
  const body = { id, configuration, message: { role: 'user', parts: [{ text }] } };
  return sendUntilAnswered(() => client.postJson<Task>('/cli/tasks', body));
}

function showSent({ output }: CommandContext, task: Task): void {
  output.json(task);
  output.line(`Sent. To follow it: countersign task watch ${plainText(task.id)}`);
}

async function watch(
  context: CommandContext,
  client: ServerClient,
  task: Task,
  options: TaskOutputOptions,
): Promise<void> {
  const { output } = context;
  if (isFinal(task.status)) return showEnd(context, task, options);
  if (!options.wait) throw unfinished(client, task);
  const progress = new TaskProgress(output, client, () =>
    output.note(`The task goes on without this command. To follow it: countersign task watch ${plainText(task.id)}`),
  );
  if (!asksForInformation(task.status)) progress.show(task.status);
  try {
    for await (const update of followTask(client, task.id)) {
      if (update.final) break;
      if (!asksForInformation(update.status)) {
        progress.show(update.status);
        continue;
      }
      // the stream begins with the first event: the question may have been answered since
      const { status } = await getTask(client, task.id);
      if (!asksForInformation(status)) continue;
      progress.stop();
      await answer(context, client, task, status);
    }
  } finally {
    progress.stop();
  }
  await showEnd(context, await getTask(client, task.id), options);
}

const isFinal = ({ state }: TaskStatus): boolean => ['completed', 'failed', 'canceled', 'rejected'].includes(state);

const asksForInformation = ({ state, metadata }: TaskStatus): boolean =>
  state === 'input-required' && metadata?.reason === 'information';

/** Asks the person what the task asks. A script continues with the same id. */
async function answer(context: CommandContext, client: ServerClient, task: Task, status: TaskStatus): Promise<void> {
  if (!isInteractive(context.output)) throw unfinished(client, { id: task.id, status });
  const { isCancel, text } = await import('@clack/prompts');
  const validate = (value?: string) => (value?.trim() ? undefined : 'Enter an answer.');
  const answered = await text({ message: plainLines(messageText(status)), validate, output: process.stderr });
  if (isCancel(answered)) throw canceled(`The task still waits. ${howToAnswer(task.id)}`);
  await send(client, { id: task.id, configuration: task.configuration, text: answered });
}

async function showEnd(
  { output }: CommandContext,
  task: Task,
  { output: folder, overwrite = false }: TaskOutputOptions,
): Promise<void> {
  if (task.status.state !== 'completed') throw notCompleted(task);
  const artifacts = task.artifacts ?? [];
  const files =
    folder === undefined ? [] : await writeArtifacts(artifacts, folder, { overwrite }).catch(notStored(task));
  output.json({ ...task, ...(folder === undefined ? {} : { files }) });
  const text = messageText(task.status);
  if (text) output.line(plainLines(text));
  if (folder === undefined) showArtifacts(output, artifacts);
  else for (const file of files) output.line(plainText(file));
}

/** The task is not repeated for its result. */
const notStored =
  ({ id }: Task) =>
  (error: CommandError): never => {
    const message = `${error.message}\nThe result is not lost: countersign task watch ${id}`;
    throw new CommandError(error.exitCode, error.code, message, { ...error.details, taskId: id });
  };

function notCompleted({ id, status: { state, error, message } }: Task): CommandError {
  const text = error?.detail ?? message?.parts.map((part) => part.text).join('\n') ?? '';
  const code = error?.code ?? `task-${state}`;
  const exitCode = exitCodeOf(code);
  return new CommandError(
    exitCode === exitCodes.failure ? exitCodes.executionFailed : exitCode,
    code,
    `The task ended as ${state}${text ? `: ${text}` : '.'}`,
    { taskId: id, state },
  );
}

function unfinished(client: ServerClient, { id, status }: Pick<Task, 'id' | 'status'>): CommandError {
  const { state, metadata } = status;
  const url = approvalLink(client, status) ?? undefined;
  const question = asksForInformation(status) ? `${messageText(status)}\n${howToAnswer(id)}` : '';
  const message = question || (url ? `The task waits for approval: ${url}` : `The task is ${state}.`);
  return new CommandError(exitCodes.pending, 'pending', message, {
    taskId: id,
    state,
    url,
    missing: metadata?.missing,
  });
}

const howToAnswer = (id: string): string => `To answer: countersign task send --id ${id} "…"`;

const usage = (message: string): CommandError => new CommandError(exitCodes.usage, 'invalid-usage', message);

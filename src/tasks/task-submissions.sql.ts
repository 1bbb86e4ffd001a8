import { newId } from '../platform/crypto/ids.js';
import { statement, type StatementRunner } from '../platform/database/statement.js';
import type { TaskStatus } from './task.entity.js';

export interface NewTask {
  tenantId: string;
  id: string;
  ownerId: string;
  externalId: string;
  configurationId: string;
  /** The caller's id of the context that the task belongs to. */
  contextId: string | null;
  keyId: string;
  principal: object;
  trace: object | null;
  status: TaskStatus;
  hash: Buffer;
  /** JSON, sealed for `id` */
  message: string;
  /** `id` is the task that the message continues. Without this flag, no existing task receives the message. */
  continues?: boolean;
  /** The actor for the audit log */
  actor: object;
  requestId: string | null;
}
interface MessageRow<Outcome> {
  outcome: Outcome;
  task_id: string;
  status: TaskStatus;
  number: number;
}
/** `exists`: the id is in use with another message, and the task does not wait for one. */
export type StoredRow = MessageRow<'created' | 'same' | 'continued' | 'stored' | 'exists'>;
/** The task waits for a message. Submit it again with `continues`, sealed for `task_id`. */
export type ContinuableRow = MessageRow<'continuable'>;
export const submitMessages = statement<
  [tenantId: string, messages: string],
  (StoredRow | ContinuableRow) & { nth: number }
>('select * from tasks_submit($1, $2)', { name: 'tasks-submit' });

/**
 * Stores one tenant's messages and returns the results in their order. Null if the task was removed before its message
 * was stored: its id can be used again.
 */
export async function submitTasks(
  runner: StatementRunner,
  tenantId: string,
  tasks: readonly NewTask[],
): Promise<(StoredRow | ContinuableRow | null)[]> {
  const messages = tasks.map((task, nth) => ({
    nth,
    id: task.id,
    owner: task.ownerId,
    external: task.externalId,
    configuration: task.configurationId,
    context: task.contextId,
    key: task.keyId,
    principal: task.principal,
    trace: task.trace,
    status: task.status,
    hash: task.hash.toString('hex'),
    message: task.message,
    audit: newId(),
    actor: task.actor,
    request: task.requestId,
    continues: task.continues,
  }));
  const rows = await runner.run(submitMessages, [tenantId, JSON.stringify(messages)]);
  const answers: (StoredRow | ContinuableRow | null)[] = tasks.map(() => null);
  for (const { nth, ...row } of rows) answers[nth] = row;
  return answers;
}

import { newId } from '../platform/crypto/ids.js';
import type { Conversation } from '../connections/tools.service.js';
import type { Principal } from '../principal/principal.js';
import { toStoredCaller, callerIdentity } from './caller.js';
import { ToolCall } from './tool-call.entity.js';

export interface CallingTask {
  id: string;
  leaseEpoch: number;
  tainted: boolean;
  /** Unique in the task: with the same one it is the same call, however long ago it was made. */
  ref: string;
  /** The turn that asked for the call, where it is not kept yet: it is kept with the attempt. */
  turn?: string;
  /** Asked at the last moment before the call is sent, by a clock of the process's own. */
  isHeld?: () => boolean;
}

export interface GateCallRequest {
  /** Of the call, where it is a new one: for a caller that has to find it again after a crash. */
  id?: string;
  configurationId: string;
  tool: string;
  /** JSON text, as the caller sent it. */
  arguments: string;
  task?: CallingTask;
  /** Where the caller can be asked while the call runs. */
  conversation?: Conversation;
  /** Aborted when the caller does not wait any more: what only reads ends with it, what changes something does not. */
  signal?: AbortSignal;
}

const toolNamePattern = /^[A-Za-z0-9_-]{1,64}$/;

/** Every call begins as `requested`; it is written down once it is known what becomes of it. */
export const newCall = (principal: Principal, { id, configurationId, tool, task }: GateCallRequest): ToolCall =>
  Object.assign(new ToolCall(), {
    tenantId: principal.tenantId,
    id: id ?? newId(),
    configurationId,
    taskId: task?.id ?? null,
    callRefs: task ? [task.ref] : [],
    identity: callerIdentity(principal),
    caller: toStoredCaller(principal),
    tool: toolNamePattern.test(tool) ? tool : '(no name of a tool)',
    effect: null,
    connectionId: null,
    connectionRevision: null,
    definitionHash: null,
    definition: null,
    argumentsSealed: null,
    argumentsHash: null,
    redactedArguments: null,
    policyIds: [],
    policyRevision: null,
    steps: [],
    narrowedBy: null,
    isDelegation: false,
    tainted: task?.tainted ?? false,
    isForeign: false,
    state: 'requested' as const,
    code: null,
    reason: null,
    attempts: 0,
    leaseEpoch: task?.leaseEpoch ?? null,
    executor: null,
    executingUntil: null,
    retryKey: null,
    resultSealed: null,
    requestedAt: new Date(),
    expiresAt: null,
    executedAt: null,
    endedAt: null,
    deliveredAt: null,
    settledBy: null,
    settlement: null,
  } satisfies ToolCall);

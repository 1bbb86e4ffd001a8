import { newId } from '../platform/crypto/ids.js';
import type { Conversation } from '../connections/tools.service.js';
import type { Principal } from '../principal/principal.js';
import { toStoredPrincipal } from '../principal/stored-principal.js';
import { callerIdentity } from './caller.js';
import type { CallIn } from './call-state.js';
import { ToolCall } from './tool-call.entity.js';

export interface CallingTask {
  id: string;
  leaseEpoch: number;
  tainted: boolean;
  /** Unique within the task. The same ref always means the same call, regardless of its age. */
  ref: string;
  /** The turn that requested the call, if not stored yet: it is stored with the attempt. */
  turn?: string;
  /** Checked last before the call is sent, by the monotonic clock of the process. */
  isHeld?: () => boolean;
}

export interface GateCallRequest {
  /** Id for a new call, so that the caller can find it again after a crash. */
  id?: string;
  configurationId: string;
  tool: string;
  /** JSON text, as the caller sent it. */
  arguments: string;
  task?: CallingTask;
  /** Present if the caller can answer questions while the call runs. */
  conversation?: Conversation;
  /** Aborted when the caller stops waiting. This cancels reads only, not calls that change something. */
  signal?: AbortSignal;
}

const toolNamePattern = /^[A-Za-z0-9_-]{1,64}$/;

/** Every call begins as `requested`. It is inserted only after the decision. */
export const newCall = (
  principal: Principal,
  { id, configurationId, tool, task }: GateCallRequest,
): CallIn<'requested'> =>
  Object.assign(new ToolCall(), {
    tenantId: principal.tenantId,
    id: id ?? newId(),
    configurationId,
    taskId: task?.id ?? null,
    callRefs: task ? [task.ref] : [],
    identity: callerIdentity(principal),
    caller: toStoredPrincipal(principal),
    tool: toolNamePattern.test(tool) ? tool : '(invalid tool name)',
    effect: null,
    connectionId: null,
    connectionRevision: null,
    definitionHash: null,
    definition: null,
    argumentsSealed: null,
    argumentsHash: null,
    redactedArguments: null,
    editedBy: [],
    grantId: null,
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
    resultHash: null,
    resultNotice: null,
    requestedAt: new Date(),
    expiresAt: null,
    executedAt: null,
    endedAt: null,
    deliveredAt: null,
    isOverridden: false,
    settledBy: null,
    settlement: null,
  } satisfies ToolCall);

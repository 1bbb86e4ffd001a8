import { defineProblem } from '../platform/errors/problem.js';
import type { JsonObject } from '../platform/json/strict-json.js';
import type { ResultNotice } from './result-rules.js';

export const connectionNotFound = defineProblem({
  code: 'connection-not-found',
  status: 404,
  title: 'Connection not found',
  explain: 'Your organization has no connection with this id, or it was removed.',
});
export const toolNotFound = defineProblem({
  code: 'tool-not-found',
  status: 404,
  title: 'Tool not found',
  explain: 'No tool that you can see has this name or id. Tools appear after their connection is verified.',
});
export const slugTaken = defineProblem({
  code: 'slug-taken',
  status: 409,
  title: 'Tool prefix already in use',
  explain:
    'Tool names begin with the prefix of their connection, so two connections cannot share one. Choose another prefix.',
});
export const toolDefinitionChanged = defineProblem({
  code: 'definition-changed',
  status: 409,
  title: 'The tool definition changed',
  explain:
    'The definition that you confirmed is no longer the one that the connected system offers. Review the new definition and confirm it if you agree.',
});
export const connectionChanged = defineProblem({
  code: 'connection-changed',
  status: 409,
  title: 'The connection changed',
  explain: 'Someone saved this connection after you opened it. Reload it and make your change again.',
});
export const modelCapReached = defineProblem({
  code: 'model-cap-reached',
  status: 429,
  title: 'Monthly model cap reached',
  explain:
    'This month’s cost of the model connection has reached the cap that an administrator set. The model is available again on the first of the next month (UTC), or when an administrator raises the cap.',
});

/** Why a call has no result. */
export abstract class CallFault extends Error {
  /** The message is, or may quote, text from another system. `asForeign` in `foreign.ts` sets it at the boundary. */
  isForeign = false;
  /** What the rules of the connection found in the message. */
  notice?: ResultNotice;
}

/** The upstream did not execute the call: it was never sent, or rejected before it had any effect. */
export class NotSent extends CallFault {
  override readonly name = 'NotSent';
}

/** State of a task that was delegated to another agent, in A2A terms. */
export interface DeferredTaskStatus {
  /** The agent that works on it. */
  agent: string;
  state: 'working' | 'input-required';
  message?: string;
  /** What the task waits for. */
  metadata?: JsonObject;
}

/** The work outlives its call: the caller polls with the same idempotency key until there is a result. */
export class Deferred extends CallFault {
  override readonly name = 'Deferred';

  constructor(
    readonly taskStatus: DeferredTaskStatus,
    /** Until the next poll. The ledger stores it, so any process can poll. */
    readonly pollSeconds: number,
    /** False: no task waits for the result, so the ledger polls. */
    readonly isPolledByTask = true,
  ) {
    super(`"${taskStatus.agent}" is ${taskStatus.state}`);
  }
}

/** The upstream requires an account of this person, who has not connected one. */
export class AccountNeeded extends NotSent {
  constructor(
    message: string,
    /** The page where the person connects an account. */
    readonly url: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The upstream requires a client capability that the caller's client did not declare. */
export class CapabilityNeeded extends NotSent {
  constructor(
    message: string,
    /** In the form in which a client declares them (MCP, client capabilities). */
    readonly capabilities: JsonObject,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The call was sent but no outcome arrived, so it may have been executed. A write is never retried automatically. */
export class OutcomeUnknown extends CallFault {
  override readonly name = 'OutcomeUnknown';
}

/** The source reports that it cannot read this document. The sync skips and reports it, then continues. */
export class UnreadableDocument extends Error {
  override readonly name = 'UnreadableDocument';
}

/** The source asks for a longer wait than a sync allows. Stored documents stay, and the sync continues at `until`. */
export class SourcePaused extends Error {
  override readonly name = 'SourcePaused';

  constructor(
    message: string,
    readonly until: Date,
  ) {
    super(message);
  }
}

/** The source no longer accepts the cursor or the progress. The next pass lists all documents. */
export class CursorExpired extends Error {
  override readonly name = 'CursorExpired';
}

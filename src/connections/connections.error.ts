import { defineProblem } from '../platform/errors/problem.js';
import type { JsonObject } from '../platform/json/strict-json.js';

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
  explain: 'There is no tool of this name or id that you may see. Tools appear when their connection is verified.',
});
export const slugTaken = defineProblem({
  code: 'slug-taken',
  status: 409,
  title: 'Short name already in use',
  explain:
    'Names of tools begin with the short name of their connection, so two connections cannot share one. Choose another.',
});
export const toolDefinitionChanged = defineProblem({
  code: 'definition-changed',
  status: 409,
  title: 'The tool was changed in the meantime',
  explain:
    'What you confirmed is not what the connected system offers now. Read the new definition, and confirm it if it is still what you want.',
});
export const connectionChanged = defineProblem({
  code: 'connection-changed',
  status: 409,
  title: 'The connection was changed in the meantime',
  explain: 'Somebody else saved this connection after you opened it. Read it again and decide anew.',
});
export const modelCapReached = defineProblem({
  code: 'model-cap-reached',
  status: 429,
  title: 'The monthly cap of the model is reached',
  explain:
    'This month’s cost of the model connection has reached the cap that an administrator set. It is free again on the first of the next month (UTC), or when the cap is raised.',
});

/** Why a call has no result. */
export abstract class CallFault extends Error {
  /** The words are those of another system, or may repeat them. Set where they enter: `asForeign` in `foreign.ts`. */
  isForeign = false;
}

/** The upstream surely did not carry the call out: it was never sent, or refused before anything was done. */
export class NotSent extends CallFault {
  override readonly name = 'NotSent';
}

/** Where a task stands that another agent was handed, in the terms of A2A. */
export interface DeferredTaskStatus {
  /** Who is at it. */
  agent: string;
  state: 'working' | 'input-required';
  message?: string;
  /** What it waits for. */
  metadata?: JsonObject;
}

/** The work goes on without its call: whoever made that looks again, by the same key, until there is a result. */
export class Deferred extends CallFault {
  override readonly name = 'Deferred';

  constructor(
    readonly taskStatus: DeferredTaskStatus,
    /** Until the next poll. It is stored, so that any process makes it. */
    readonly pollSeconds: number,
    /** False: no task waits for it, and the ledger polls by itself. */
    readonly isPolledByTask = true,
  ) {
    super(`"${taskStatus.agent}" is ${taskStatus.state}`);
  }
}

/** The upstream acts for this person only once they have connected an account of their own there. */
export class AccountNeeded extends NotSent {
  constructor(
    message: string,
    /** The page where the person does so. */
    readonly url: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The upstream does this only for callers whose client can do something that this one has not said it can. */
export class CapabilityNeeded extends NotSent {
  constructor(
    message: string,
    /** As a client declares them (MCP, client capabilities). */
    readonly capabilities: JsonObject,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The call left us and its outcome did not come back: it may have happened. A write is never repeated by itself. */
export class OutcomeUnknown extends CallFault {
  override readonly name = 'OutcomeUnknown';
}

/** One document that cannot be read, by its system's own word: it is left out and named, and the walk goes on. */
export class UnreadableDocument extends Error {
  override readonly name = 'UnreadableDocument';
}

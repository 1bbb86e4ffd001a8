import { type ClientCapabilities, MissingRequiredClientCapabilityError } from '@modelcontextprotocol/server';
import type { Conversation } from '../../connections/tools.service.js';
import type { CallOutcome } from '../../gate/gate.service.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import type { Caller } from '../caller.js';

/** SEP-2663: the answer to a call may be a task, to be asked for by its id. */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

/* What the client of a call says that it can do. It is asked for nothing else: the SDK would answer with an error in its place. */

export const keepsTasks = ({ era, capabilities }: Caller): boolean =>
  era === 'modern' && capabilities.extensions?.[tasksExtension] !== undefined;

export const opensLinks = ({ capabilities }: Caller): boolean => capabilities.elicitation?.url !== undefined;

type Lacking = Extract<CallOutcome, { state: 'failed' }> & { requiredCapabilities: ClientCapabilities };

/** The connected system wanted to ask it for more than it declared. Only the newer era has an error that says so. */
export const lacksCapability = ({ era }: Caller, outcome: CallOutcome): outcome is Lacking =>
  era === 'modern' && outcome.state === 'failed' && outcome.requiredCapabilities !== undefined;

/** What a connected system may ask of it. */
export function askable({ elicitation, sampling, roots }: ClientCapabilities): Conversation['capabilities'] {
  const forms = elicitation && (elicitation.form ?? (elicitation.url ? undefined : {}));
  return {
    ...(elicitation && {
      elicitation: {
        ...(forms && { form: plain(forms) }),
        ...(elicitation.url && { url: plain(elicitation.url) }),
      },
    }),
    ...(sampling && { sampling: plain(sampling) }),
    ...(roots && { roots: plain(roots) }),
  };
}

/**
 * Throws where a client would be asked for what it has not declared: it may be back with less than it had when its call was begun
 * (2026-07-28, multi round-trip requests).
 */
export function requireAskable({ capabilities }: Caller, questions: Record<string, JsonObject>): void {
  const declared: Abilities = askable(capabilities);
  for (const question of Object.values(questions)) {
    const requiredCapabilities = lacking(takes(question), declared);
    if (requiredCapabilities)
      throw new MissingRequiredClientCapabilityError(
        { requiredCapabilities },
        'The call is under way, and asks for what this client has not declared that it can do.',
      );
  }
}

type Abilities = Readonly<Record<string, object | undefined>>;

/** What connected systems may ask is sorted out where they ask. */
function takes({ method, params }: JsonObject): Abilities {
  const { mode, tools, toolChoice } = (params ?? {}) as JsonObject;
  if (method === 'roots/list') return { roots: {} };
  if (method === 'sampling/createMessage')
    return { sampling: (tools ?? toolChoice) === undefined ? {} : { tools: {} } };
  return { elicitation: mode === 'url' ? { url: {} } : { form: {} } };
}

/** Null: nothing. */
function lacking(taken: Abilities, declared: Abilities): ClientCapabilities | null {
  const isDeclared = ([ability, kinds = {}]: [string, object | undefined]) =>
    declared[ability] !== undefined && Object.keys(kinds).every((kind) => Object.hasOwn(declared[ability]!, kind));
  return Object.entries(taken).every(isDeclared) ? null : taken;
}

/** Came as JSON, and is JSON. */
const plain = (declared: object) => declared as Record<string, never>;

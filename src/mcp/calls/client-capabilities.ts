import { type ClientCapabilities, MissingRequiredClientCapabilityError } from '@modelcontextprotocol/server';
import type { Conversation } from '../../connections/tools.service.js';
import type { CallOutcome } from '../../gate/gate.service.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import type { McpCaller } from '../mcp-caller.js';

/** SEP-2663: the answer to a call may be a task, to be asked for by its id. */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

/* What the client of a call says that it can do. It is asked for nothing else: the SDK would answer with an error in its place. */

export const supportsTasks = ({ era, capabilities }: McpCaller): boolean =>
  era === 'modern' && capabilities.extensions?.[tasksExtension] !== undefined;

export const supportsUrlElicitation = ({ capabilities }: McpCaller): boolean =>
  capabilities.elicitation?.url !== undefined;

type MissingCapabilityOutcome = Extract<CallOutcome, { state: 'failed' }> & {
  requiredCapabilities: ClientCapabilities;
};

/** The connected system wanted to ask it for more than it declared. Only the newer era has an error that says so. */
export const lacksCapability = ({ era }: McpCaller, outcome: CallOutcome): outcome is MissingCapabilityOutcome =>
  era === 'modern' && outcome.state === 'failed' && outcome.requiredCapabilities !== undefined;

/** What a connected system may ask of it. */
export function conversationCapabilities({
  elicitation,
  sampling,
  roots,
}: ClientCapabilities): Conversation['capabilities'] {
  const forms = elicitation && (elicitation.form ?? (elicitation.url ? undefined : {}));
  return {
    ...(elicitation && {
      elicitation: {
        ...(forms && { form: asJsonRecord(forms) }),
        ...(elicitation.url && { url: asJsonRecord(elicitation.url) }),
      },
    }),
    ...(sampling && { sampling: asJsonRecord(sampling) }),
    ...(roots && { roots: asJsonRecord(roots) }),
  };
}

/**
 * Throws where a client would be asked for what it has not declared: it may be back with less than it had when its call was begun
 * (2026-07-28, multi round-trip requests).
 */
export function requireCapabilitiesFor({ capabilities }: McpCaller, questions: Record<string, JsonObject>): void {
  const declared: DeclaredCapabilities = conversationCapabilities(capabilities);
  for (const question of Object.values(questions)) {
    const requiredCapabilities = missingCapabilities(capabilitiesNeededFor(question), declared);
    if (requiredCapabilities)
      throw new MissingRequiredClientCapabilityError(
        { requiredCapabilities },
        'The call is under way, and asks for what this client has not declared that it can do.',
      );
  }
}

type DeclaredCapabilities = Readonly<Record<string, object | undefined>>;

/** What connected systems may ask is sorted out where they ask. */
function capabilitiesNeededFor({ method, params }: JsonObject): DeclaredCapabilities {
  const { mode, tools, toolChoice } = (params ?? {}) as JsonObject;
  if (method === 'roots/list') return { roots: {} };
  if (method === 'sampling/createMessage')
    return { sampling: (tools ?? toolChoice) === undefined ? {} : { tools: {} } };
  return { elicitation: mode === 'url' ? { url: {} } : { form: {} } };
}

/** Null: nothing. */
function missingCapabilities(needed: DeclaredCapabilities, declared: DeclaredCapabilities): ClientCapabilities | null {
  const isDeclared = ([ability, kinds = {}]: [string, object | undefined]) =>
    declared[ability] !== undefined && Object.keys(kinds).every((kind) => Object.hasOwn(declared[ability]!, kind));
  return Object.entries(needed).every(isDeclared) ? null : needed;
}

/** Came as JSON, and is JSON. */
const asJsonRecord = (declared: object) => declared as Record<string, never>;

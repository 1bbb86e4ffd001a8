import { type ClientCapabilities, MissingRequiredClientCapabilityError } from '@modelcontextprotocol/server';
import type { Conversation } from '../../connections/tools.service.js';
import type { CallOutcome } from '../../gate/gate.service.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import type { McpCaller } from '../mcp-caller.js';

/** SEP-2663: the answer to a call may be a task that the client polls by id. */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

/* Capabilities that a client declares. It gets no other requests: the SDK would answer those with an error for it. */

export const supportsTasks = ({ era, capabilities }: McpCaller): boolean =>
  era === 'modern' && capabilities.extensions?.[tasksExtension] !== undefined;

export const supportsUrlElicitation = ({ capabilities }: McpCaller): boolean =>
  capabilities.elicitation?.url !== undefined;

type MissingCapabilityOutcome = Extract<CallOutcome, { state: 'failed' }> & {
  requiredCapabilities: ClientCapabilities;
};

/** The connected system needs a capability that the client does not declare. Only the modern era has this error. */
export const lacksCapability = ({ era }: McpCaller, outcome: CallOutcome): outcome is MissingCapabilityOutcome =>
  era === 'modern' && outcome.state === 'failed' && outcome.requiredCapabilities !== undefined;

/** The requests that a connected system may send to the client. */
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
 * Throws if a question needs a capability that the client does not declare. A retry may declare fewer capabilities than
 * the request that began the call (2026-07-28, multi round-trip requests).
 */
export function requireCapabilitiesFor({ capabilities }: McpCaller, questions: Record<string, JsonObject>): void {
  const declared: DeclaredCapabilities = conversationCapabilities(capabilities);
  for (const question of Object.values(questions)) {
    const requiredCapabilities = missingCapabilities(capabilitiesNeededFor(question), declared);
    if (requiredCapabilities)
      throw new MissingRequiredClientCapabilityError(
        { requiredCapabilities },
        'The running call needs a capability that this client does not declare.',
      );
  }
}

type DeclaredCapabilities = Readonly<Record<string, object | undefined>>;

/** Other methods do not occur: the connection already rejects them. */
function capabilitiesNeededFor({ method, params }: JsonObject): DeclaredCapabilities {
  const { mode, tools, toolChoice } = (params ?? {}) as JsonObject;
  if (method === 'roots/list') return { roots: {} };
  if (method === 'sampling/createMessage')
    return { sampling: (tools ?? toolChoice) === undefined ? {} : { tools: {} } };
  return { elicitation: mode === 'url' ? { url: {} } : { form: {} } };
}

function missingCapabilities(needed: DeclaredCapabilities, declared: DeclaredCapabilities): ClientCapabilities | null {
  const isDeclared = ([name, kinds = {}]: [string, object | undefined]) =>
    declared[name] !== undefined && Object.keys(kinds).every((kind) => Object.hasOwn(declared[name]!, kind));
  return Object.entries(needed).every(isDeclared) ? null : needed;
}

/** Safe: the value was parsed from JSON. */
const asJsonRecord = (declared: object) => declared as Record<string, never>;

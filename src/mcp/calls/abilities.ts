import type { ClientCapabilities } from '@modelcontextprotocol/server';
import type { Conversation } from '../../connections/tools.service.js';
import type { CallOutcome } from '../../gate/gate.service.js';
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

/** Came as JSON, and is JSON. */
const plain = (declared: object) => declared as Record<string, never>;

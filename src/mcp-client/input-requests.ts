import type { JsonObject } from '../platform/json/strict-json.js';
import { NotSent } from '../connections/connections.error.js';
import type { InputRequest } from '../connections/conversation.port.js';
import { cleanJson } from './clean.js';
import type { CapabilityProfile } from './capability-profile.js';

const maxRequestLength = 256 * 1024;
const inputRequestMethods: readonly string[] = ['elicitation/create', 'sampling/createMessage', 'roots/list'];

/**
 * Converts a server request for the caller; `_meta` and `task` belong to our session with the server. A server that
 * asks has not executed the call yet, so a request that is not allowed ends as `NotSent` with a readable message.
 */
export function toInputRequest(request: unknown, profile: CapabilityProfile): InputRequest {
  const { method, params } = (request ?? {}) as { method?: unknown; params?: Record<string, unknown> };
  if (typeof method !== 'string' || !inputRequestMethods.includes(method))
    throw new NotSent('The server sent a request that the protocol does not define.');
  const { _meta, task: _task, ...publicParams } = params ?? {};
  const inputRequest = { method: method as InputRequest['method'], params: cleanJson(publicParams) as JsonObject };
  const missing = missingCapability(inputRequest, profile);
  if (missing)
    throw new NotSent(`The server asks the caller for ${missing}, which the caller’s client does not support.`);
  if (JSON.stringify(inputRequest).length > maxRequestLength)
    throw new NotSent(`The server’s question is larger than ${maxRequestLength / 1024} KiB.`);
  return inputRequest;
}

/** What the caller’s client would have to support, as text; null if it does. */
function missingCapability({ method, params = {} }: InputRequest, profile: CapabilityProfile): string | null {
  switch (method) {
    case 'elicitation/create':
      if (params.mode === 'url') return profile.has('url') ? null : 'a visit to a web page';
      return profile.has('form') ? null : 'an answer to a form';
    case 'sampling/createMessage':
      if (!profile.has('sampling')) return 'a model response';
      return (params.tools ?? params.toolChoice) === undefined || profile.has('samplingTools')
        ? null
        : 'a model response with tools';
    case 'roots/list':
      return profile.has('roots') ? null : 'its folders';
  }
}

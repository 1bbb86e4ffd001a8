import type { JsonObject } from '../../platform/json/strict-json.js';
import { NotSent } from '../connections.error.js';
import type { InputRequest } from '../conversation.js';
import { cleanJson } from './clean.js';
import type { Profile } from './profile.js';

const longestQuestion = 256 * 1024;
const methods: readonly string[] = ['elicitation/create', 'sampling/createMessage', 'roots/list'];

/**
 * What a server asks, as it may be put to the caller; `_meta` and `task` belong to our own line to the server. A server that asks
 * has not done yet what it was called for, so whatever may not be asked is `NotSent`, in words.
 */
export function toQuestion(request: unknown, profile: Profile): InputRequest {
  const { method, params } = (request ?? {}) as { method?: unknown; params?: Record<string, unknown> };
  if (typeof method !== 'string' || !methods.includes(method))
    throw new NotSent('The server asks for something that the protocol does not know.');
  const { _meta, task: _task, ...asked } = params ?? {};
  const question = { method: method as InputRequest['method'], params: cleanJson(asked) as JsonObject };
  const missing = missingFor(question, profile);
  if (missing)
    throw new NotSent(`The server asks the caller for ${missing}, which the caller’s client does not offer.`);
  if (JSON.stringify(question).length > longestQuestion)
    throw new NotSent(`The server’s question is larger than ${longestQuestion / 1024} KiB.`);
  return question;
}

/** What the caller’s client would have to offer, in words; null: it does. */
function missingFor({ method, params = {} }: InputRequest, profile: Profile): string | null {
  switch (method) {
    case 'elicitation/create':
      if (params.mode === 'url') return profile.has('url') ? null : 'a visit to a page';
      return profile.has('form') ? null : 'an answer to a form';
    case 'sampling/createMessage':
      if (!profile.has('sampling')) return 'an answer of its model';
      return (params.tools ?? params.toolChoice) === undefined || profile.has('samplingTools')
        ? null
        : 'an answer of its model with tools';
    case 'roots/list':
      return profile.has('roots') ? null : 'its folders';
  }
}

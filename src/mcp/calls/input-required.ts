import type { JsonObject } from '../../platform/json/strict-json.js';
import type { RequestContext } from './client-request.js';

/** Asks the client to retry with answers to these requests (2026-07-28, multi round-trip requests). */
export const inputRequiredResult = (inputRequests: Record<string, JsonObject>, requestState: string): JsonObject => ({
  resultType: 'input_required',
  inputRequests,
  requestState,
});

/** The answers to exactly these requests. Ignores all others. Null if one is missing. */
export function answersTo(
  requests: Record<string, JsonObject>,
  ctx: RequestContext,
): Record<string, JsonObject> | null {
  const responses = ctx.mcpReq.inputResponses ?? {};
  const names = Object.keys(requests);
  if (!names.every((name) => Object.hasOwn(responses, name))) return null;
  return Object.fromEntries(names.map((name) => [name, responses[name] as JsonObject]));
}

export const urlElicitationRequest = (url: string, message: string) => ({
  method: 'elicitation/create' as const,
  params: { mode: 'url' as const, url, message },
});

import type { Conversation, InputRequest } from '../../connections/tools.service.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import type { McpCaller } from '../mcp-caller.js';
import { conversationCapabilities } from './client-capabilities.js';
import { notifyLog, notifyProgress } from './client-notifications.js';
import type { RequestContext } from './client-request.js';

/** Effectively no timeout: the signal ends the wait. */
export const maxTimeoutMs = 2 ** 31 - 1;

/** For legacy clients, which accept requests from the server while their own request is open. */
export function liveConversation(caller: McpCaller, ctx: RequestContext): Conversation {
  const ask = async (name: string, request: InputRequest, signal: AbortSignal): Promise<[string, JsonObject]> => {
    const { method, params = {} } = request;
    const answer = await ctx.mcpReq.send({ method, params }, { signal, timeout: maxTimeoutMs });
    return [name, answer as JsonObject];
  };
  return {
    capabilities: conversationCapabilities(caller.capabilities),
    ask: async (requests, signal) => {
      // the first failure cancels the other requests
      const failed = new AbortController();
      const either = AbortSignal.any([signal, failed.signal]);
      try {
        return Object.fromEntries(
          await Promise.all(Object.entries(requests).map(([name, request]) => ask(name, request, either))),
        );
      } catch (error) {
        failed.abort(error);
        throw error;
      }
    },
    progress: (params) => notifyProgress(ctx, params),
    log: (params) => notifyLog(ctx, params),
  };
}

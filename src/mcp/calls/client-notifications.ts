import type { LoggingLevel } from '@modelcontextprotocol/server';
import type { Conversation } from '../../connections/tools.service.js';
import type { RequestContext } from './client-request.js';

/* Notifications to a client while its request is open. A failed notification does not fail the call. */

type ProgressParams = Parameters<Conversation['progress']>[0];

/** Waiting notifications sent for each request. Progress values must always increase (MCP, progress). */
const waitingCounts = new WeakMap<RequestContext, number>();

export const wantsProgress = ({ mcpReq }: RequestContext): boolean => mcpReq._meta?.progressToken !== undefined;

export function notifyWaiting(ctx: RequestContext, message: string): void {
  const progress = (waitingCounts.get(ctx) ?? 0) + 1;
  waitingCounts.set(ctx, progress);
  sendProgress(ctx, { progress, message });
}

/** Forwards the progress of a connected system. The values continue after those of the waiting notifications. */
export function notifyProgress(ctx: RequestContext, { progress, total, ...more }: ProgressParams): void {
  const waited = waitingCounts.get(ctx);
  const before = waited ? waited + 1 : 0; // upstream progress starts at 0
  sendProgress(ctx, {
    ...more,
    progress: before + progress,
    ...(total === undefined ? {} : { total: before + total }),
  });
}

export function notifyLog(ctx: RequestContext, { level, data, logger }: Parameters<Conversation['log']>[0]): void {
  ctx.mcpReq.log(level as LoggingLevel, data, logger).catch(() => undefined);
}

function sendProgress(ctx: RequestContext, params: ProgressParams): void {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  const notification = { method: 'notifications/progress', params: { ...params, progressToken } };
  ctx.mcpReq.notify(notification).catch(() => undefined);
}

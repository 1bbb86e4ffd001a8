import type { LoggingLevel, ServerContext } from '@modelcontextprotocol/server';
import type { Conversation } from '../../connections/tools.service.js';

/* What a client hears of its request while that is open. Later it hears nothing of it: that is no failure of the call. */

export function tellProgress(ctx: ServerContext, params: Parameters<Conversation['progress']>[0]): void {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  const notification = { method: 'notifications/progress', params: { ...params, progressToken } };
  ctx.mcpReq.notify(notification).catch(() => undefined);
}

export function tellLog(ctx: ServerContext, { level, data, logger }: Parameters<Conversation['log']>[0]): void {
  ctx.mcpReq.log(level as LoggingLevel, data, logger).catch(() => undefined);
}

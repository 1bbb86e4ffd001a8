import { newId } from '../../platform/crypto/ids.js';
import { urlElicitationRequest } from './input-required.js';
import { maxTimeoutMs } from './live-conversation.js';
import type { RequestContext } from './client-request.js';

/** Asks a legacy client to offer a page to its user until the signal aborts. */
export class UrlElicitation {
  private readonly elicitationId = newId();
  /** `unable`: the client could not offer it. */
  readonly answer: Promise<'accept' | 'decline' | 'cancel' | 'unable'>;

  constructor(
    private readonly ctx: RequestContext,
    url: string,
    message: string,
    signal: AbortSignal,
  ) {
    const { params } = urlElicitationRequest(url, message);
    const request = { method: 'elicitation/create' as const, params: { ...params, elicitationId: this.elicitationId } };
    this.answer = ctx.mcpReq.send(request, { signal, timeout: maxTimeoutMs }).then(
      ({ action }) => action,
      () => 'unable',
    );
  }

  /** The page has served its purpose (MCP 2025-11-25, URL mode elicitation). */
  complete(): void {
    const params = { elicitationId: this.elicitationId };
    // a disconnected client no longer shows the page
    this.ctx.mcpReq.notify({ method: 'notifications/elicitation/complete', params }).catch(() => undefined);
  }
}

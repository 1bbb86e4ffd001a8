import { newId } from '../../platform/crypto/ids.js';
import { urlElicitationRequest } from './input-required.js';
import { maxTimeoutMs } from './live-conversation.js';
import type { RequestContext } from './client-request.js';

/** A page that a client with requests of the server's own offers to the person in front of it, until the signal ends. */
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

  /** What the page was for is done (MCP 2025-11-25, URL mode elicitation). */
  complete(): void {
    const params = { elicitationId: this.elicitationId };
    // a client that is gone shows no page any more
    this.ctx.mcpReq.notify({ method: 'notifications/elicitation/complete', params }).catch(() => undefined);
  }
}

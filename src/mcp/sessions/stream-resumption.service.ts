import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { OwnCallsService } from '../../gate/own-calls.service.js';
import type { McpSession } from '../../mcp-sessions/mcp-sessions.service.js';
import { SessionEventStore, type SessionStreamStatus } from '../../mcp-sessions/session-event-store.service.js';
import type { EventStream } from '../../platform/http/sse.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import type { Principal } from '../../principal/principal.js';
import { RpcRefusal } from '../rpc-refusal.js';
import { type EventPosition, formatEventId } from './event-position.js';
import { SessionStreamsService } from './session-streams.service.js';

/** Resumes the stream of a request for a client that lost it, after the last event that the client received. */
@Injectable()
export class StreamResumptionService {
  constructor(
    private readonly events: SessionEventStore,
    private readonly streams: SessionStreamsService,
    private readonly calls: OwnCallsService,
    private readonly log: LogService,
  ) {}

  async open(
    principal: Principal,
    session: McpSession,
    position: EventPosition,
    request: Request,
    response: Response,
  ): Promise<void> {
    const stream = { sessionId: session.id, stream: position.id };
    const streamStatus = await this.events.getStreamStatus(principal, stream);
    if (!streamStatus) throw new RpcRefusal(400, -32000, 'Last-Event-ID does not name an event of this session.');
    if (streamStatus.hasEnded && position.number >= streamStatus.newest) {
      // tells an event source not to reconnect (HTML, section 9.2.3)
      response.status(204).end();
      return;
    }
    this.streams.takeOver(position.id);
    const reader = this.streams.open(session, position, request, response);
    const disconnect = new AbortController();
    reader.onClose(() => disconnect.abort());
    if (!reader.isOpen) return;
    await this.replay(principal, stream, position, reader, disconnect.signal);
  }

  private async replay(
    principal: Principal,
    stream: { sessionId: string; stream: string },
    position: EventPosition,
    reader: EventStream,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      for await (const { number, message } of this.events.follow(
        principal,
        stream,
        position.number,
        lostProcessAnswer,
        signal,
      )) {
        if (!message) continue;
        reader.send({
          event: 'message',
          id: formatEventId({ id: position.id, number }),
          data: JSON.stringify(await this.authorizeMessage(principal, message)),
        });
      }
    } catch (error) {
      if (!signal.aborted) this.log.warn({ err: error }, 'stream could not be resumed; the client reconnects');
    }
    reader.close();
  }

  /** Replays an outcome only to a caller who could make the call now. */
  private async authorizeMessage(principal: Principal, message: JsonObject): Promise<JsonObject> {
    const callId = callIdOfResult(message);
    return callId === undefined || (await this.calls.canReadOutcome(principal, callId))
      ? message
      : withheldAnswer(message);
  }
}

/** Reads the call id that every tool result carries in `_meta`. */
function callIdOfResult({ result }: JsonObject): string | undefined {
  const { _meta } = (result ?? {}) as { _meta?: { 'countersign/call'?: { id?: string; state?: string } } };
  const call = _meta?.['countersign/call'];
  return call?.state === 'succeeded' || call?.state === 'failed' ? call.id : undefined;
}

const withheldAnswer = ({ id }: JsonObject): JsonObject => ({
  jsonrpc: '2.0',
  id,
  error: { code: -32000, message: 'The result is not shown, because you are no longer permitted to make this call.' },
});

const lostProcessAnswer = (id: SessionStreamStatus['requestId']): JsonObject => ({
  jsonrpc: '2.0',
  id,
  error: {
    code: -32000,
    message:
      'The server process that ran this request has stopped. Send the same request again: completed calls do not run twice.',
  },
});

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

/** The stream of a request, for the client that lost it on the way: from the event after the last that it has seen. */
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
    if (!streamStatus) throw new RpcRefusal(400, -32000, 'There is no event with this id to go on from.');
    if (streamStatus.hasEnded && position.number >= streamStatus.newest) {
      // what a reader of events takes for "do not come back" (HTML, section 9.2.3)
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
      if (!signal.aborted) this.log.warn({ err: error }, 'a stream could not be read on; its client comes back');
    }
    reader.close();
  }

  /** An outcome is handed over again only to who could make the call now. */
  private async authorizeMessage(principal: Principal, message: JsonObject): Promise<JsonObject> {
    const callId = callIdOfResult(message);
    return callId === undefined || (await this.calls.canReadOutcome(principal, callId))
      ? message
      : withheldAnswer(message);
  }
}

/** By what every result of a tool says of its call. */
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
      'The process that worked on this is gone. Send the same request again: what was done already is not done twice.',
  },
});

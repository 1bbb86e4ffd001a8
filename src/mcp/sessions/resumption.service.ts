import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { OwnCalls } from '../../gate/own-calls.service.js';
import type { McpSession } from '../../mcp-sessions/mcp-sessions.service.js';
import { SessionEvents, type StreamStanding } from '../../mcp-sessions/session-events.service.js';
import type { EventStream } from '../../platform/http/sse.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import { Log } from '../../platform/telemetry/log.service.js';
import type { Principal } from '../../principal/principal.js';
import { RpcRefusal } from '../rpc-refusal.js';
import { type Place, placeText } from './place.js';
import { SessionStreams } from './session-streams.service.js';

/** The stream of a request, for the client that lost it on the way: from the event after the last that it has seen. */
@Injectable()
export class Resumption {
  constructor(
    private readonly events: SessionEvents,
    private readonly streams: SessionStreams,
    private readonly calls: OwnCalls,
    private readonly log: Log,
  ) {}

  async open(
    principal: Principal,
    session: McpSession,
    place: Place,
    request: Request,
    response: Response,
  ): Promise<void> {
    const stream = { sessionId: session.id, stream: place.id };
    const standing = await this.events.standing(principal, stream);
    if (!standing) throw new RpcRefusal(400, -32000, 'There is no event with this id to go on from.');
    if (standing.hasEnded && place.number >= standing.newest) {
      // what a reader of events takes for "do not come back" (HTML, section 9.2.3)
      response.status(204).end();
      return;
    }
    this.streams.takeOver(place.id);
    const reader = this.streams.open(session, place, request, response);
    const gone = new AbortController();
    reader.onClose(() => gone.abort());
    if (!reader.isOpen) return;
    await this.tell(principal, stream, place, reader, gone.signal);
  }

  private async tell(
    principal: Principal,
    stream: { sessionId: string; stream: string },
    place: Place,
    reader: EventStream,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      for await (const { number, message } of this.events.follow(principal, stream, place.number, lost, signal)) {
        if (!message) continue;
        reader.send({
          event: 'message',
          id: placeText({ id: place.id, number }),
          data: JSON.stringify(await this.shown(principal, message)),
        });
      }
    } catch (error) {
      if (!signal.aborted) this.log.warn({ err: error }, 'a stream could not be read on; its client comes back');
    }
    reader.close();
  }

  /** An outcome is handed over again only to who could make the call now. */
  private async shown(principal: Principal, message: JsonObject): Promise<JsonObject> {
    const callId = callOf(message);
    return callId === undefined || (await this.calls.isOpen(principal, callId)) ? message : withheld(message);
  }
}

/** By what every result of a tool says of its call. */
function callOf({ result }: JsonObject): string | undefined {
  const { _meta } = (result ?? {}) as { _meta?: { 'countersign/call'?: { id?: string; state?: string } } };
  const call = _meta?.['countersign/call'];
  return call?.state === 'succeeded' || call?.state === 'failed' ? call.id : undefined;
}

const withheld = ({ id }: JsonObject): JsonObject => ({
  jsonrpc: '2.0',
  id,
  error: { code: -32000, message: 'The answer is not shown: you could not make this call now.' },
});

const lost = (id: StreamStanding['requestId']): JsonObject => ({
  jsonrpc: '2.0',
  id,
  error: {
    code: -32000,
    message:
      'The process that worked on this is gone. Send the same request again: what was done already is not done twice.',
  },
});

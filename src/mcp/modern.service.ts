import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  createMcpHandler,
  type Implementation,
  type InboundClassificationOutcome,
} from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../platform/config/config.js';
import { Log } from '../platform/telemetry/log.service.js';
import type { JsonObject } from '../platform/json/strict-json.js';
import type { Principal } from '../principal/principal.js';
import { Asked } from './asked.js';
import type { Caller } from './caller.js';
import { DirectAnswers } from './direct-answers.service.js';
import { type PlainRequest, plainRequest } from './plain-request.js';
import { idOf, type Received } from './received.js';
import { RpcRefusal } from './rpc-refusal.js';
import { ServerFactory } from './server-factory.service.js';
import { Subscriptions } from './subscriptions.service.js';
import { goneSignal, sendJson, sendWeb, webRequest } from './web.js';

type ModernRoute = Exclude<InboundClassificationOutcome, { kind: 'legacy' }>;
type Send = () => void | Promise<void>;

/** Protocol revisions without sessions (2026-07-28): every request says by itself what its client can do. */
@Injectable()
export class ModernEra {
  constructor(
    private readonly direct: DirectAnswers,
    private readonly servers: ServerFactory,
    private readonly subscriptions: Subscriptions,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /** `route`: as the SDK takes the message. */
  async post(
    principal: Principal,
    { source, message }: Received,
    route: ModernRoute,
    request: Request,
    response: Response,
  ): Promise<void> {
    const asked = new Asked(source, request.headers, idOf(message));
    const caller = callerOf(principal, message);
    const plain = route.kind === 'modern' && plainRequest(route, request.headers);
    try {
      const send = plain
        ? await this.directly(plain, caller, asked, response)
        : await this.bySdk(message, caller, asked, request, response);
      if (asked.refusal instanceof RpcRefusal) response.status(asked.refusal.status).json(asked.refusal);
      else if (asked.refusal) throw asked.refusal;
      else await send();
    } finally {
      await asked.ended();
    }
  }

  private async directly(plain: PlainRequest, caller: Caller, asked: Asked, response: Response): Promise<Send> {
    const { status, message } = await this.direct.to(plain, caller, asked, goneSignal(response));
    return () => sendJson(response, status, message, asked.tools);
  }

  private async bySdk(
    message: JsonObject,
    caller: Caller,
    asked: Asked,
    request: Request,
    response: Response,
  ): Promise<Send> {
    const isListening = message.method === 'subscriptions/listen';
    const busUntil = isListening ? await this.subscriptions.open(caller, message, response) : undefined;
    // one a request: the SDK's own is made for all callers at once, and what is told here depends on who listens
    const handler = createMcpHandler(() => this.servers.build(caller, asked), {
      legacy: 'reject',
      bus: busUntil?.(() => void handler.close()),
      keepAliveMs: this.config.stream.keepAliveMs,
      onerror: (error) => this.log.debug({ err: error, requestId: request.id }, 'a request over MCP was refused'),
    });
    const answer = await handler.fetch(webRequest(request, goneSignal(response)), { parsedBody: message });
    return () => sendWeb(answer, response, this.config.stream.maxBufferedBytes, asked.tools);
  }
}

/** Of a request that the SDK takes on, this has the form that it should. */
function callerOf(principal: Principal, message: JsonObject): Caller {
  const { _meta } = (message.params ?? {}) as { _meta?: JsonObject };
  return {
    principal,
    configurationId: principal.configurationId!,
    era: 'modern',
    capabilities: (_meta?.[CLIENT_CAPABILITIES_META_KEY] ?? {}) as ClientCapabilities,
    clientInfo: _meta?.[CLIENT_INFO_META_KEY] as Implementation | undefined,
  };
}

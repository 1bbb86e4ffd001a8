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
import { LogService } from '../platform/telemetry/log.service.js';
import type { JsonObject } from '../platform/json/strict-json.js';
import type { Principal } from '../principal/principal.js';
import { IncomingRequest } from './incoming-request.js';
import type { McpCaller } from './mcp-caller.js';
import { DirectAnswersService } from './direct-answers.service.js';
import { type PlainRequest, parsePlainRequest } from './plain-request.js';
import { rpcIdOf, type ReceivedRpcMessage } from './received-message.js';
import { RpcRefusal } from './rpc-refusal.js';
import { McpServerFactory } from './server-factory.service.js';
import { SubscriptionsService } from './subscriptions.service.js';
import { clientDisconnectSignal, sendJson, sendWeb, webRequest } from './web.js';

type ModernRoute = Exclude<InboundClassificationOutcome, { kind: 'legacy' }>;
type Send = () => void | Promise<void>;

/** Protocol revisions without sessions (2026-07-28): each request declares the capabilities of its client. */
@Injectable()
export class ModernProtocolService {
  constructor(
    private readonly direct: DirectAnswersService,
    private readonly servers: McpServerFactory,
    private readonly subscriptions: SubscriptionsService,
    private readonly config: Config,
    private readonly log: LogService,
  ) {}

  /** `route`: how the SDK classifies the message. */
  async post(
    principal: Principal,
    { source, message }: ReceivedRpcMessage,
    route: ModernRoute,
    request: Request,
    response: Response,
  ): Promise<void> {
    const incoming = new IncomingRequest(source, request.headers, rpcIdOf(message));
    const caller = modernCaller(principal, message);
    const plain = route.kind === 'modern' && parsePlainRequest(route, request.headers);
    try {
      const send = plain
        ? await this.answerDirectly(plain, caller, incoming, response)
        : await this.answerBySdk(message, caller, incoming, request, response);
      if (incoming.refusal instanceof RpcRefusal) response.status(incoming.refusal.status).json(incoming.refusal);
      else if (incoming.refusal) throw incoming.refusal;
      else await send();
    } finally {
      await incoming.completed();
    }
  }

  private async answerDirectly(
    plain: PlainRequest,
    caller: McpCaller,
    incoming: IncomingRequest,
    response: Response,
  ): Promise<Send> {
    const { status, message } = await this.direct.answer(plain, caller, incoming, clientDisconnectSignal(response));
    return () => sendJson(response, status, message, incoming.tools);
  }

  private async answerBySdk(
    message: JsonObject,
    caller: McpCaller,
    incoming: IncomingRequest,
    request: Request,
    response: Response,
  ): Promise<Send> {
    const isListening = message.method === 'subscriptions/listen';
    const busUntil = isListening ? await this.subscriptions.open(caller, message, response) : undefined;
    // One event bus per request: the SDK's default bus serves all callers, but events here depend on the caller.
    const handler = createMcpHandler(() => this.servers.build(caller, incoming), {
      legacy: 'reject',
      bus: busUntil?.(() => void handler.close()),
      keepAliveMs: this.config.stream.keepAliveMs,
      onerror: (error) => this.log.debug({ err: error, requestId: request.id }, 'MCP request was refused'),
    });
    const answer = await handler.fetch(webRequest(request, clientDisconnectSignal(response)), { parsedBody: message });
    return () => sendWeb(answer, response, this.config.stream.maxBufferedBytes, incoming.tools);
  }
}

/** Does not validate `_meta`: the SDK does, before it calls a handler. */
function modernCaller(principal: Principal, message: JsonObject): McpCaller {
  const { _meta } = (message.params ?? {}) as { _meta?: JsonObject };
  return {
    principal,
    configurationId: principal.configurationId!,
    era: 'modern',
    capabilities: (_meta?.[CLIENT_CAPABILITIES_META_KEY] ?? {}) as ClientCapabilities,
    clientInfo: _meta?.[CLIENT_INFO_META_KEY] as Implementation | undefined,
  };
}

import { Injectable } from '@nestjs/common';
import { DeliveryFailure } from '../../notifications/slack-api-client.service.js';
import { Config } from '../../platform/config/config.js';
import { OutboundHttpError } from '../../platform/http/outbound-http.error.js';
import { OutboundWebSocketClient } from '../../platform/http/outbound-web-socket-client.service.js';
import { isEnvelope, isHello, parseSocketMessage, type SlackEnvelope } from './slack-socket-message.js';

/** `refresh`: Slack asks for a new connection; this one delivers until it is closed. */
type SlackSocketEnd = 'refresh' | 'disabled' | 'closed';
export interface SlackSocketConnection {
  /** The app of the token, as Slack reports it. */
  slackAppId: string;
  ended: Promise<SlackSocketEnd>;
  acknowledge(envelopeId: string, payload: Record<string, unknown> | null): void;
  close(): void;
}
type EnvelopeHandler = (connection: SlackSocketConnection, envelope: SlackEnvelope) => void;

/** Slack's payloads are much smaller. */
const maxMessageBytes = 1024 * 1024;
const helloMs = 15_000;

/** Opens connections in socket mode: https://docs.slack.dev/apis/events-api/using-socket-mode */
@Injectable()
export class SlackSocketClient {
  constructor(
    private readonly config: Config,
    private readonly webSockets: OutboundWebSocketClient,
  ) {}

  /** Resolves when Slack has said hello. Rejects with `DeliveryFailure`, or with the signal's reason. */
  async open(url: string, handle: EnvelopeHandler, signal: AbortSignal): Promise<SlackSocketConnection> {
    const greeted = Promise.withResolvers<string>();
    const ended = Promise.withResolvers<SlackSocketEnd>();
    let connection: SlackSocketConnection | null = null;
    const early: SlackEnvelope[] = [];
    const receive = (text: string) => {
      const message = parseSocketMessage(text);
      if (!message) return;
      if (isHello(message)) greeted.resolve(message.connection_info.app_id);
      else if (!isEnvelope(message)) ended.resolve(endOf(message.reason));
      else if (connection) handle(connection, message);
      else early.push(message);
    };
    try {
      const socket = await this.webSockets.connect({
        url,
        signal,
        maxMessageBytes,
        // the operator configured an address of Slack's API without TLS
        allowsPlain: this.config.slackApiUrl.startsWith('http://'),
        onMessage: receive,
      });
      void socket.closed.then(() => ended.resolve('closed'));
      const timer = setTimeout(() => socket.close(), helloMs);
      const slackAppId = await Promise.race([greeted.promise, socket.closed.then(() => null)]);
      clearTimeout(timer);
      signal.throwIfAborted();
      if (!slackAppId) throw new DeliveryFailure('Slack closed the connection before it was ready.', false);
      connection = {
        slackAppId,
        ended: ended.promise,
        acknowledge: (envelope_id, payload) =>
          socket.send(JSON.stringify({ envelope_id, ...(payload ? { payload } : {}) })),
        close: () => socket.close(),
      };
      for (const envelope of early) handle(connection, envelope);
      return connection;
    } catch (error) {
      if (error instanceof OutboundHttpError) throw new DeliveryFailure(error.message, false);
      throw error;
    }
  }
}

function endOf(reason: string | undefined): SlackSocketEnd {
  if (reason === 'warning' || reason === 'refresh_requested') return 'refresh';
  return reason === 'link_disabled' ? 'disabled' : 'closed';
}

import { Injectable } from '@nestjs/common';
import { AgentCard } from '@a2a-js/sdk';
import { DefaultAgentCardResolver } from '@a2a-js/sdk/client';
import type { ConnectionContext } from '../../../connections/connector-registry.service.js';
import { Config } from '../../../platform/config/config.js';
import { OutboundHttpError } from '../../../platform/http/outbound-http.error.js';
import { headerOf, originsOf, parseAgentCard, type RemoteAgent, UnusableCard } from './remote-card.js';

const maxCardBytes = 256 * 1024;
const cardTimeoutMs = 15_000;
const legacyCardResolver = new DefaultAgentCardResolver({ legacyCompat: { enabled: true } });

/** Fetches and parses the cards of remote agents. */
@Injectable()
export class AgentCardClient {
  constructor(private readonly config: Config) {}

  /** Throws `UnusableCard`, or `OutboundHttpError` if there is no response. */
  async fetchAgent(context: ConnectionContext): Promise<RemoteAgent> {
    const origins = originsOf(context.settings);
    if (origins.some((origin) => this.isOwn(origin)))
      throw new UnusableCard('This agent runs on this server. Connect its configuration as a specialist instead.');
    return parseAgentCard(decodeCard(await this.fetchCard(context, toCardUrl(String(context.settings.url)))), origins);
  }

  private isOwn(origin: string): boolean {
    return [this.config.a2aUrl, this.config.baseUrl].some((own) => new URL(own).origin === origin);
  }

  private async fetchCard({ outgoing, secret, signal }: ConnectionContext, url: string): Promise<object> {
    const token = secret('token');
    const response = await outgoing.fetch(url, {
      headers: [
        ['accept', 'application/json'],
        ['a2a-version', '1.0'],
        ...(token ? [headerOf({ header: 'Authorization', scheme: 'Bearer' }, token)] : []),
      ],
      redirect: 'error',
      maxBytes: maxCardBytes,
      signal: AbortSignal.any([signal, AbortSignal.timeout(cardTimeoutMs)]),
    });
    if (response.status === 401 || response.status === 403)
      throw new UnusableCard(`The card requires authentication (${response.status}). Enter a valid credential.`);
    if (!response.ok)
      throw new UnusableCard(`No card was found at ${url.split('?')[0]} (${response.status}). Check the address.`);
    return parseCardJson(await response.text());
  }
}

function parseCardJson(text: string): object {
  try {
    const card: unknown = JSON.parse(text);
    if (typeof card === 'object' && card !== null && !Array.isArray(card)) return card;
  } catch (error) {
    throw new UnusableCard('The response is not the card of an A2A agent. Check the address.', { cause: error });
  }
  throw new UnusableCard('The response is not the card of an A2A agent. Check the address.');
}

/** A card with fields of both versions is read as a card of the newer one. */
const decodeCard = (card: object): AgentCard =>
  'supportedInterfaces' in card || 'supported_interfaces' in card
    ? AgentCard.fromJSON(card)
    : legacyCardResolver.normalizeAgentCard(card);

/** Accepts the address of the card, or of the agent. */
function toCardUrl(address: string): string {
  const url = new URL(address);
  if (!url.pathname.endsWith('.json')) url.pathname = `${url.pathname.replace(/\/$/, '')}/.well-known/agent-card.json`;
  return url.href;
}

/** A reason to show to a person. */
export const cardFailureReason = (error: unknown): string => {
  if (error instanceof UnusableCard) return error.message;
  if (error instanceof OutboundHttpError) return `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`;
  return 'The card of the agent does not match the A2A specification.';
};

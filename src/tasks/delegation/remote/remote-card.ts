import type { AgentCard, SecurityScheme } from '@a2a-js/sdk';
import type { JsonObject } from '../../../platform/json/strict-json.js';
import { truncate } from '../../../platform/text/truncate.js';

/* What a card says, as far as it is relied on. Every word of it is a claim. */

export interface RemoteEndpoint {
  url: string;
  binding: 'JSONRPC' | 'HTTP+JSON';
  /** As the card writes it. */
  version: string;
  tenant: string;
}

/** Where the credential goes. */
export interface CredentialHeader {
  header: string;
  scheme: 'Bearer' | 'Basic' | null;
}

export interface RemoteAgent {
  name: string;
  description: string;
  endpoint: RemoteEndpoint;
  credentialHeader: CredentialHeader;
  requiresCredentials: boolean;
  /** Its tasks can be followed as a stream. */
  isStreaming: boolean;
  skills: { id: string; name: string; description: string; tags: string[] }[];
  provider?: string;
}

/** Why a card cannot be used; in words for whoever set the connection up. */
export class UnusableCard extends Error {
  override readonly name = 'UnusableCard';
}

const maxNameLength = 200;
const maxDescriptionLength = 4000;
const maxIdLength = 1000;

/** `origins`: where its interface may be: the credential is shown to nobody else. */
export function parseAgentCard(card: AgentCard, origins: readonly string[]): RemoteAgent {
  if (!card.name) throw new UnusableCard('The card has no name: something else than an A2A agent answers there.');
  const required = card.capabilities?.extensions.filter((extension) => extension.required) ?? [];
  if (required.length)
    throw new UnusableCard(
      `The agent works only with the extension ${truncateText(required[0].uri, maxNameLength)}, which is not supported.`,
    );
  const { provider, skills } = card;
  return {
    name: truncateText(card.name, maxNameLength),
    description: truncateText(card.description, maxDescriptionLength),
    endpoint: endpointOf(card, origins),
    credentialHeader: credentialHeaderOf(card),
    isStreaming: card.capabilities?.streaming ?? false,
    requiresCredentials: card.securityRequirements.length > 0,
    skills: skills.map(({ id, name, description, tags }) => ({
      id: truncateText(id, maxNameLength),
      name: truncateText(name, maxNameLength),
      description: truncateText(description, maxDescriptionLength),
      tags: tags.slice(0, 20).map((tag) => truncateText(tag, 50)),
    })),
    ...(provider?.organization ? { provider: truncateText(provider.organization, maxNameLength) } : {}),
  };
}

/** The card's own order is its preference. */
function endpointOf({ supportedInterfaces }: AgentCard, origins: readonly string[]): RemoteEndpoint {
  const supported = supportedInterfaces.find(
    ({ protocolBinding, protocolVersion }) => isBinding(protocolBinding) && isVersion(protocolVersion),
  );
  if (!supported) {
    const offered = supportedInterfaces.map((one) => `${one.protocolBinding} ${one.protocolVersion}`).slice(0, 5);
    throw new UnusableCard(
      `The agent offers ${truncateText(offered.join(', '), maxNameLength) || 'no interface'}; JSONRPC and HTTP+JSON of 1.0 and 0.3 are spoken.`,
    );
  }
  const { url, protocolBinding, protocolVersion: version, tenant } = supported;
  if (!URL.canParse(url) || !isStorable(url) || !isStorable(tenant))
    throw new UnusableCard('The address of the agent’s interface is not a complete one.');
  if (!origins.includes(new URL(url).origin))
    throw new UnusableCard(
      `The card names an interface on another host, ${new URL(url).host}. If that is right, enter its address as "Interface".`,
    );
  return { url, binding: protocolBinding as RemoteEndpoint['binding'], version, tenant };
}

const isBinding = (name: string) => name === 'JSONRPC' || name === 'HTTP+JSON';
const isVersion = (version: string) => /^(1\.\d+|0\.3)(\.\d+)?$/.test(version);

function credentialHeaderOf({ securityRequirements, securitySchemes }: AgentCard): CredentialHeader {
  const required = securityRequirements.flatMap(({ schemes }) => Object.keys(schemes));
  const schemes = [...required, ...Object.keys(securitySchemes)].map((name) => securitySchemes[name]);
  return schemes.map(toCredentialHeader).find((door) => door !== null) ?? { header: 'Authorization', scheme: 'Bearer' };
}

function toCredentialHeader(scheme: SecurityScheme | undefined): CredentialHeader | null {
  switch (scheme?.scheme?.$case) {
    case 'apiKeySecurityScheme': {
      const { location, name } = scheme.scheme.value;
      return location === 'header' && /^[A-Za-z][A-Za-z0-9-]{0,60}$/.test(name) && !isReservedHeader(name)
        ? { header: name, scheme: null }
        : null;
    }
    case 'httpAuthSecurityScheme':
      return {
        header: 'Authorization',
        scheme: scheme.scheme.value.scheme.toLowerCase() === 'basic' ? 'Basic' : 'Bearer',
      };
    case 'oauth2SecurityScheme':
    case 'openIdConnectSecurityScheme':
      return { header: 'Authorization', scheme: 'Bearer' };
    default:
      return null;
  }
}

/** Where a connection leads: the credential is shown there and nowhere else. */
export const originsOf = ({ url, endpoint }: Record<string, unknown>): string[] =>
  [url, endpoint].filter((address) => typeof address === 'string').map((address) => new URL(address).origin);

/** Headers that the protocol itself sends. */
const isReservedHeader = (header: string) =>
  /^(host|connection|accept|te|upgrade|expect|transfer-encoding|content-.*|a2a-.*|x-a2a-.*|last-event-id|trace.*)$/i.test(
    header,
  );

export function headerOf({ header, scheme }: CredentialHeader, secret: string): [name: string, value: string] {
  if (scheme === 'Basic') return [header, `Basic ${Buffer.from(secret).toString('base64')}`];
  return [header, scheme ? `${scheme} ${secret}` : secret];
}

/** Part of what an administrator confirms: an agent that moves, or is another's, is held back. */
export const confirmedServerOf = ({ name, provider, endpoint }: RemoteAgent): JsonObject => ({
  name,
  ...(provider ? { provider } : {}),
  ...(endpoint.tenant ? { tenant: endpoint.tenant } : {}),
  url: endpoint.url,
  protocol: `A2A ${endpoint.version} ${endpoint.binding}`,
});

/** Of what has to be said again exactly as it came. */
export const isStorable = (text: string): boolean =>
  text.length <= maxIdLength && truncateText(text, maxIdLength) === text;

/** Text from outside as PostgreSQL takes it, and not more than is needed. */
export const truncateText = (text: string, most: number): string => {
  const clean = text.toWellFormed().replaceAll('\0', '').trim();
  return clean.length > most ? `${truncate(clean, most - 1)}…` : clean;
};

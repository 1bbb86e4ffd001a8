import type { AgentCard, SecurityScheme } from '@a2a-js/sdk';
import type { JsonObject } from '../../../platform/json/strict-json.js';
import { truncate } from '../../../platform/text/truncate.js';

/* The parts of an agent card that are used. All of it is untrusted input. */

export interface RemoteEndpoint {
  url: string;
  binding: 'JSONRPC' | 'HTTP+JSON';
  /** Exactly as in the card. */
  version: string;
  tenant: string;
}

/** The header that carries the credential. */
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
  /** The agent can stream the updates of a task. */
  isStreaming: boolean;
  skills: { id: string; name: string; description: string; tags: string[] }[];
  provider?: string;
}

/** The card cannot be used. The message is shown to the administrator who set up the connection. */
export class UnusableCard extends Error {
  override readonly name = 'UnusableCard';
}

const maxNameLength = 200;
const maxDescriptionLength = 4000;
const maxIdLength = 1000;

/** `origins`: the allowed origins of its interface, because only these may receive the credential. */
export function parseAgentCard(card: AgentCard, origins: readonly string[]): RemoteAgent {
  if (!card.name)
    throw new UnusableCard('The card has no name, so it is not the card of an A2A agent. Check the address.');
  const required = card.capabilities?.extensions.filter((extension) => extension.required) ?? [];
  if (required.length)
    throw new UnusableCard(
      `The agent requires the extension ${truncateText(required[0].uri, maxNameLength)}, which is not supported.`,
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

/** Cards list their interfaces in order of preference. */
function endpointOf({ supportedInterfaces }: AgentCard, origins: readonly string[]): RemoteEndpoint {
  const supported = supportedInterfaces.find(
    ({ protocolBinding, protocolVersion }) => isBinding(protocolBinding) && isVersion(protocolVersion),
  );
  if (!supported) {
    const offered = supportedInterfaces.map((one) => `${one.protocolBinding} ${one.protocolVersion}`).slice(0, 5);
    throw new UnusableCard(
      `The agent offers ${truncateText(offered.join(', '), maxNameLength) || 'no interface'}. Only JSONRPC and HTTP+JSON, versions 1.0 and 0.3, are supported.`,
    );
  }
  const { url, protocolBinding, protocolVersion: version, tenant } = supported;
  if (!URL.canParse(url) || !isStorable(url) || !isStorable(tenant))
    throw new UnusableCard('The card does not contain a valid address for the agent’s interface.');
  if (!origins.includes(new URL(url).origin))
    throw new UnusableCard(
      `The card names an interface on another host, ${new URL(url).host}. If this is correct, enter its address as "Interface".`,
    );
  return { url, binding: protocolBinding as RemoteEndpoint['binding'], version, tenant };
}

const isBinding = (name: string) => name === 'JSONRPC' || name === 'HTTP+JSON';
const isVersion = (version: string) => /^(1\.\d+|0\.3)(\.\d+)?$/.test(version);

function credentialHeaderOf({ securityRequirements, securitySchemes }: AgentCard): CredentialHeader {
  const required = securityRequirements.flatMap(({ schemes }) => Object.keys(schemes));
  const schemes = [...required, ...Object.keys(securitySchemes)].map((name) => securitySchemes[name]);
  return (
    schemes.map(toCredentialHeader).find((entry) => entry !== null) ?? { header: 'Authorization', scheme: 'Bearer' }
  );
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

/** The origins that a connection may contact. Only these receive the credential. */
export const originsOf = ({ url, endpoint }: Record<string, unknown>): string[] =>
  [url, endpoint].filter((address) => typeof address === 'string').map((address) => new URL(address).origin);

/** Headers that the HTTP client or the A2A protocol sets. */
const isReservedHeader = (header: string) =>
  /^(host|connection|accept|te|upgrade|expect|transfer-encoding|content-.*|a2a-.*|x-a2a-.*|last-event-id|trace.*)$/i.test(
    header,
  );

export function headerOf({ header, scheme }: CredentialHeader, secret: string): [name: string, value: string] {
  if (scheme === 'Basic') return [header, `Basic ${Buffer.from(secret).toString('base64')}`];
  return [header, scheme ? `${scheme} ${secret}` : secret];
}

/**
 * Part of what an administrator confirms: if the agent's address or provider changes, its tools are pending review
 * again.
 */
export const confirmedServerOf = ({ name, provider, endpoint }: RemoteAgent): JsonObject => ({
  name,
  ...(provider ? { provider } : {}),
  ...(endpoint.tenant ? { tenant: endpoint.tenant } : {}),
  url: endpoint.url,
  protocol: `A2A ${endpoint.version} ${endpoint.binding}`,
});

/** For values that have to be sent back exactly as received. */
export const isStorable = (text: string): boolean =>
  text.length <= maxIdLength && truncateText(text, maxIdLength) === text;

/** Makes external text storable in PostgreSQL and limits its length. */
export const truncateText = (text: string, most: number): string => {
  const clean = text.toWellFormed().replaceAll('\0', '').trim();
  return clean.length > most ? `${truncate(clean, most - 1)}…` : clean;
};

import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { type ClientTarget, clientScopes, clientTargets } from '../client.entity.js';
import { resourcePaths } from '../resources.js';

interface ResourceChallenge {
  /** RFC 6750, section 3.1. Omitted for a request without a token. */
  error?: 'invalid_token' | 'insufficient_scope';
  scope?: string;
}

const wellKnown = '/.well-known/oauth-protected-resource';
/**
 * Scopes of a challenge by default. Assistants request all scopes at once, because they show only the tools of their
 * token.
 */
const defaultScopes: Record<ClientTarget, string> = { api: 'api:read', mcp: 'api:read api:write' };
const titles: Record<ClientTarget, string> = { api: 'Countersign API', mcp: 'Countersign MCP' };

/** The protected resources and their metadata, from which clients learn where to get a token (RFC 9728). */
@Injectable()
export class ProtectedResourcesService {
  constructor(private readonly config: Config) {}

  /** The resource indicator, which is also the URL. */
  address(target: ClientTarget): string {
    return this.config.baseUrl + resourcePaths[target];
  }

  metadataAddress(target: ClientTarget): string {
    const { origin, pathname } = new URL(this.address(target));
    return origin + wellKnown + pathname;
  }

  metadata(target: ClientTarget) {
    return {
      resource: this.address(target),
      resource_name: titles[target],
      authorization_servers: [this.config.baseUrl],
      scopes_supported: clientScopes,
      bearer_methods_supported: ['header'],
    };
  }

  /** `path` follows the well-known prefix. A proxy may have stripped the path of our base URL, so both forms match. */
  find(path: string): ClientTarget | null {
    const isAt = (target: ClientTarget) =>
      [resourcePaths[target], new URL(this.address(target)).pathname].includes(path);
    return clientTargets.find(isAt) ?? null;
  }

  /** The `WWW-Authenticate` header of a response that requires a token or more scopes. */
  challenge(target: ClientTarget, { error, scope = defaultScopes[target] }: ResourceChallenge = {}): string {
    const parameters = { realm: 'countersign', error, scope, resource_metadata: this.metadataAddress(target) };
    const present = Object.entries(parameters).filter(([, value]) => value !== undefined);
    return `Bearer ${present.map(([name, value]) => `${name}="${value}"`).join(', ')}`;
  }
}

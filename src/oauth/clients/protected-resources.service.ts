import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { type ClientTarget, clientScopes, clientTargets } from './client.entity.js';
import { resourcePaths } from './resources.js';

interface ResourceChallenge {
  /** RFC 6750, section 3.1; left out where no token came at all. */
  error?: 'invalid_token' | 'insufficient_scope';
  scope?: string;
}

const wellKnown = '/.well-known/oauth-protected-resource';
/** What is asked for where nothing else is said. An assistant shows its person only the tools that its token reaches: it asks for all at once, and gets what it is registered for. */
const defaultScopes: Record<ClientTarget, string> = { api: 'api:read', mcp: 'api:read api:write' };
const titles: Record<ClientTarget, string> = { api: 'Countersign API', mcp: 'Countersign MCP' };

/** What tokens are for, and how a client that has none finds out where to get one (RFC 9728). */
@Injectable()
export class ProtectedResourcesService {
  constructor(private readonly config: Config) {}

  /** The resource indicator, which is its address, too. */
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

  /** By what stands behind the well-known name, with the path of our base address or, behind a proxy that takes it off, without. */
  find(path: string): ClientTarget | null {
    const isAt = (target: ClientTarget) =>
      [resourcePaths[target], new URL(this.address(target)).pathname].includes(path);
    return clientTargets.find(isAt) ?? null;
  }

  /** `WWW-Authenticate` of an answer that asks for a token, or for a better one. */
  challenge(target: ClientTarget, { error, scope = defaultScopes[target] }: ResourceChallenge = {}): string {
    const parameters = { realm: 'countersign', error, scope, resource_metadata: this.metadataAddress(target) };
    const said = Object.entries(parameters).filter(([, value]) => value !== undefined);
    return `Bearer ${said.map(([name, value]) => `${name}="${value}"`).join(', ')}`;
  }
}

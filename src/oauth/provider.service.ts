import type { EventEmitter } from 'node:events';
import { Injectable } from '@nestjs/common';
import { type Configuration, Provider } from 'oidc-provider';
import { Config } from '../platform/config/config.js';
import { SealService } from '../platform/crypto/seal.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { AccountsService } from './accounts.service.js';
import { cliClient, deviceGrant, extraClientMetadata } from './client-facts.js';
import { installClientRules } from './client-authentication.js';
import { ClientsAdapter } from './clients.adapter.js';
import { ConsentsService } from './consents.service.js';
import { loadExistingGrant } from './load-existing-grant.js';
import { GrantRevocationAuditService } from './grant-revocation-audit.service.js';
import { interactionPolicy } from './interaction-policy.js';
import { rateLimit } from './rate-limit.js';
import { OauthRateLimitService } from './oauth-rate-limit.service.js';
import { lifetimes } from './lifetimes.js';
import { OauthTransactionService } from './oauth-transaction.service.js';
import { type GrantHandler, singleUse, withReplay } from './refresh-rotation.js';
import { renderError } from './error.page.js';
import { extraParams, allowRedirectOrigins, ownTokensOnly } from './request-checks.js';
import { deviceInfo, filterDeviceResponse, enforcePollInterval } from './device-polling.js';
import {
  inOneTransaction,
  normalizePath,
  filterMetadata,
  normalizeAuthorizationRequest,
} from './request-middleware.js';
import { OauthRowsAdapter } from './oauth-rows.adapter.js';
import { installSessionBridge } from './session-bridge.js';
import { type SigningKey, SigningKeysService } from './signing-keys.service.js';
import { resourceIndicators } from './resource-indicators.js';
import { installTokenFormats } from './token-formats.js';
import { userCodePurpose } from './user-code.js';

const routes = {
  authorization: '/oauth2/authorize',
  token: '/oauth2/token',
  revocation: '/oauth2/revoke',
  device_authorization: '/oauth2/device_authorization',
  jwks: '/oauth2/jwks',
  // our own page: the library only refers to it
  code_verification: '/device',
} as const;

type Names = string | readonly string[] | ReadonlySet<string>;
type GrantParameters = [params?: Names, duplicates?: Names];

export const interactionCookie = 'countersign-consent';

interface BuiltProvider {
  provider: Provider;
  handle: ReturnType<Provider['callback']>;
}

/** Configures the OAuth library. Every feature that we do not offer is disabled. */
@Injectable()
export class ProviderService {
  private built?: BuiltProvider & { version: string };

  constructor(
    private readonly config: Config,
    private readonly seal: SealService,
    private readonly log: LogService,
    private readonly transaction: OauthTransactionService,
    private readonly accounts: AccountsService,
    private readonly consents: ConsentsService,
    private readonly keys: SigningKeysService,
    private readonly endings: GrantRevocationAuditService,
    private readonly limits: OauthRateLimitService,
  ) {}

  /** Built on first use, because the base URL is not known earlier, and rebuilt when the keys change. */
  async current(): Promise<BuiltProvider> {
    const { baseUrl } = this.config;
    const keys = await this.keys.current();
    const version = [baseUrl, ...keys.map(({ kid }) => kid)].join(' ');
    if (this.built?.version !== version) {
      const provider = this.build(baseUrl, keys);
      this.built = { version, provider, handle: provider.callback() };
    }
    return this.built;
  }

  private build(issuer: string, keys: SigningKey[]): Provider {
    const provider = this.createProvider(issuer, this.configuration(issuer, keys));
    installTokenFormats(provider);
    installClientRules(provider);
    installSessionBridge(provider, this.transaction);
    installIssuerUrl(provider);
    provider.use(normalizePath(Object.values(routes)));
    provider.use(rateLimit(this.limits, routes));
    provider.use(inOneTransaction(this.transaction, this.endings, this.log));
    provider.use(normalizeAuthorizationRequest(routes.authorization));
    provider.use(filterMetadata);
    provider.use(filterDeviceResponse);
    provider.on('server_error', ({ path }, error) =>
      this.log.error({ err: error, path }, 'the authorization server failed'),
    );
    const events: EventEmitter = provider;
    events.on('error', (error: unknown) => this.log.error({ err: error }, 'a response could not be sent'));
    return provider;
  }

  /** The library registers its handlers in its constructor, so a subclass wraps some of them there. */
  private createProvider(issuer: string, configuration: Configuration): Provider {
    const replayable = withReplay(this.transaction, this.accounts);
    const once = singleUse(this.transaction);
    const polled = enforcePollInterval(this.transaction);
    class WrappedProvider extends Provider {
      override registerGrantType<P extends object>(name: string, handler: GrantHandler<P>, ...more: GrantParameters) {
        super.registerGrantType<P>(name, wrap(name, handler), ...more);
      }
    }
    const wrap = <P extends object>(name: string, handler: GrantHandler<P>): GrantHandler<P> => {
      if (name === 'refresh_token') return replayable(handler);
      if (name === 'authorization_code') return once(handler);
      return name === deviceGrant ? polled(handler) : handler;
    };
    return new WrappedProvider(issuer, configuration);
  }

  private configuration(issuer: string, keys: SigningKey[]): Configuration {
    const cookie = { httpOnly: true, sameSite: 'lax', signed: true, secure: issuer.startsWith('https:') } as const;
    return {
      adapter: (model: string) =>
        model === 'Client'
          ? new ClientsAdapter(this.transaction)
          : new OauthRowsAdapter(model, this.transaction, this.seal.derive(userCodePurpose)),
      clients: [cliClient],
      clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
      extraClientMetadata,
      extraParams,
      jwks: { keys },
      routes,
      responseTypes: ['code'],
      scopes: [],
      claims: {},
      pkce: { required: () => true },
      allowOmittingSingleRegisteredRedirectUri: false,
      clockTolerance: 0,
      ttl: lifetimes,
      cookies: {
        keys: [this.seal.derive('oauth cookies').toString('base64url')],
        names: { session: 'countersign-none', interaction: interactionCookie, resume: 'countersign-resume' },
        short: cookie,
        long: cookie,
      },
      features: {
        devInteractions: { enabled: false },
        userinfo: { enabled: false },
        rpInitiatedLogout: { enabled: false },
        pushedAuthorizationRequests: { enabled: false },
        dPoP: { enabled: false },
        revocation: { enabled: true, allowedPolicy: ownTokensOnly },
        deviceFlow: { enabled: true, deviceInfo },
        resourceIndicators,
      },
      findAccount: (ctx, id) => this.accounts.find(ctx, id),
      loadExistingGrant: loadExistingGrant(this.consents),
      issueRefreshToken: () => true,
      rotateRefreshToken: true,
      expiresWithSession: () => false,
      revokeGrantPolicy: () => true,
      clientBasedCORS: allowRedirectOrigins,
      interactions: { policy: interactionPolicy(), url: (_, { uid }) => `/consent/${uid}` },
      renderError,
    };
  }
}

/**
 * Responses name the configured base URL, not the address of the request. Its scheme also decides on secure cookies.
 */
function installIssuerUrl(provider: Provider): void {
  provider.OIDCContext.prototype.urlFor = (name: string, options?: Record<string, unknown>) =>
    provider.urlFor(name, options);
  Object.defineProperty(provider.request, 'protocol', { value: new URL(provider.issuer).protocol.slice(0, -1) });
}

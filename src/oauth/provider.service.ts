import type { EventEmitter } from 'node:events';
import { Injectable } from '@nestjs/common';
import type { Provider } from 'oidc-provider';
import { Config } from '../platform/config/config.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { AccountsService } from './accounts.service.js';
import { OauthTransactionService } from './oauth-transaction.service.js';
import { ProviderConfigurationService } from './provider-configuration.service.js';
import { ProviderMiddlewareService } from './provider-middleware.service.js';
import { installClientSecrets } from './provider-overrides/client-secrets.js';
import { createProvider } from './provider-overrides/grant-handlers.js';
import { installGrantTypeErrors } from './provider-overrides/grant-type-errors.js';
import { ignoreForeignSignIns } from './provider-overrides/interaction-sign-ins.js';
import { installIssuerUrl } from './provider-overrides/issuer-url.js';
import { installSessionBridge } from './provider-overrides/session-bridge.js';
import { installTokenFormats } from './provider-overrides/token-formats.js';
import { type SigningKey, SigningKeysService } from './signing-keys.service.js';

interface BuiltProvider {
  provider: Provider;
  handle: ReturnType<Provider['callback']>;
}

/** Builds the OAuth library's provider with our configuration, middleware and overrides. */
@Injectable()
export class ProviderService {
  private built?: BuiltProvider & { version: string };

  constructor(
    private readonly config: Config,
    private readonly keys: SigningKeysService,
    private readonly configuration: ProviderConfigurationService,
    private readonly middleware: ProviderMiddlewareService,
    private readonly transaction: OauthTransactionService,
    private readonly accounts: AccountsService,
    private readonly log: LogService,
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
    const configuration = this.configuration.create(issuer, keys);
    const provider = createProvider(issuer, configuration, this.transaction, this.accounts);
    installTokenFormats(provider);
    installClientSecrets(provider);
    installGrantTypeErrors(provider);
    installSessionBridge(provider, this.transaction);
    ignoreForeignSignIns(provider, this.transaction);
    installIssuerUrl(provider);
    for (const middleware of this.middleware.list()) provider.use(middleware);
    provider.on('server_error', ({ path }, error) =>
      this.log.error({ err: error, path }, 'the authorization server failed'),
    );
    const events: EventEmitter = provider;
    events.on('error', (error: unknown) => this.log.error({ err: error }, 'a response could not be sent'));
    return provider;
  }
}

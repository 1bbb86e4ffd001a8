import { Injectable } from '@nestjs/common';
import type { Configuration } from 'oidc-provider';
import { SealService } from '../platform/crypto/seal.service.js';
import { AccountsService } from './accounts.service.js';
import { cliClient, extraClientMetadata } from './client-facts.js';
import { ClientsAdapter } from './clients.adapter.js';
import { ConsentsService } from './consents.service.js';
import { lifetimes } from './lifetimes.js';
import { OauthRowsAdapter } from './oauth-rows.adapter.js';
import { OauthTransactionService } from './oauth-transaction.service.js';
import { allowRedirectOrigins } from './provider-overrides/cors-policy.js';
import { deviceInfo } from './provider-overrides/device-info.js';
import { renderError } from './provider-overrides/error.page.js';
import { loadExistingGrant } from './provider-overrides/existing-grants.js';
import { interactionPolicy } from './provider-overrides/interaction-policy.js';
import { resourceIndicators } from './provider-overrides/resource-indicators.js';
import { refuseOtherResponseModes } from './provider-overrides/response-mode-parameter.js';
import { ownTokensOnly } from './provider-overrides/revocation-policy.js';
import { refuseUnregisteredScopes } from './provider-overrides/scope-parameter.js';
import { refuseControlCharacters } from './provider-overrides/state-parameter.js';
import { providerRoutes } from './provider-routes.js';
import type { SigningKey } from './signing-keys.service.js';
import { userCodePurpose } from './user-code.js';

export const interactionCookie = 'countersign-consent';

/** The settings of the OAuth library. Every feature that we do not offer is disabled. */
@Injectable()
export class ProviderConfigurationService {
  constructor(
    private readonly transaction: OauthTransactionService,
    private readonly accounts: AccountsService,
    private readonly consents: ConsentsService,
    private readonly seal: SealService,
  ) {}

  create(issuer: string, keys: SigningKey[]): Configuration {
    const cookie = { httpOnly: true, sameSite: 'lax', signed: true, secure: issuer.startsWith('https:') } as const;
    return {
      adapter: (model: string) =>
        model === 'Client'
          ? new ClientsAdapter(this.transaction)
          : new OauthRowsAdapter(model, this.transaction, this.seal.derive(userCodePurpose)),
      clients: [cliClient],
      clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
      extraClientMetadata,
      extraParams: {
        scope: refuseUnregisteredScopes,
        state: refuseControlCharacters,
        response_mode: refuseOtherResponseModes,
      },
      jwks: { keys },
      routes: providerRoutes,
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

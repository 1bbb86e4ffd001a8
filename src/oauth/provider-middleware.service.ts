import { Injectable } from '@nestjs/common';
import { LogService } from '../platform/telemetry/log.service.js';
import { GrantRevocationAuditService } from './grant-revocation-audit.service.js';
import { OauthRateLimitService } from './oauth-rate-limit.service.js';
import { OauthTransactionService } from './oauth-transaction.service.js';
import { normalizeAuthorizationRequest } from './provider-overrides/authorization-parameters.js';
import { filterDeviceResponse } from './provider-overrides/device-response.js';
import { normalizePath } from './provider-overrides/path-spelling.js';
import { rateLimit } from './provider-overrides/rate-limit.js';
import { inOneTransaction } from './provider-overrides/request-transaction.js';
import { filterMetadata } from './provider-overrides/server-metadata.js';
import { providerRoutes } from './provider-routes.js';
import type { Middleware } from './provider-types.js';

/** What surrounds every request that the OAuth library handles. */
@Injectable()
export class ProviderMiddlewareService {
  constructor(
    private readonly transaction: OauthTransactionService,
    private readonly revocationAudit: GrantRevocationAuditService,
    private readonly limits: OauthRateLimitService,
    private readonly log: LogService,
  ) {}

  /** The outermost first. */
  list(): Middleware[] {
    return [
      normalizePath(Object.values(providerRoutes)),
      rateLimit(this.limits, providerRoutes),
      inOneTransaction(this.transaction, this.revocationAudit, this.log),
      normalizeAuthorizationRequest(providerRoutes.authorization),
      filterMetadata,
      filterDeviceResponse,
    ];
  }
}

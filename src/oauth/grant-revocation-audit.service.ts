import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { AuditService } from '../audit/audit.service.js';
import { systemPrincipal } from '../principal/principal.js';
import { OauthTransactionService } from './oauth-transaction.service.js';

/**
 * Audit kinds by grant type: a replayed credential ended the grant. Any other request is a revocation by the client.
 */
const kinds: Record<string, string> = {
  refresh_token: 'refresh_token.replayed',
  authorization_code: 'authorization_code.replayed',
};

/** Records the grants that a request at the authorization server ended, in the transaction of the request. */
@Injectable()
export class GrantRevocationAuditService {
  constructor(
    private readonly transaction: OauthTransactionService,
    private readonly audit: AuditService,
  ) {}

  async record({ oidc, req }: KoaContextWithOIDC): Promise<void> {
    for (const { grantId, tenantId, memberId, memberName, clientId } of this.transaction.endedGrants) {
      const tx = await this.transaction.tx();
      await this.audit.record(tx, systemPrincipal(tenantId, 'authorization server'), {
        kind: kinds[String(oidc.params?.grant_type)] ?? 'grant.revoked',
        subject: { type: 'member', id: memberId, name: memberName },
        detail: { grantId, clientId, client: oidc.client?.clientName, address: (req as Request).ip },
      });
    }
  }
}

import { Injectable } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Problem } from '../../platform/errors/problem.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import { systemPrincipal } from '../../principal/principal.js';
import type { SignInProvider } from './sign-in-provider.entity.js';

/** The audit event tells administrators why a sign-in failed; the page reveals no more than the person may know. */
@Injectable()
export class ProviderSignInFailuresService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly log: LogService,
  ) {}

  /** Returns the problem, to be thrown. */
  async record(
    { tenantId, id, name }: Pick<SignInProvider, 'tenantId' | 'id' | 'name'>,
    problem: Problem,
    { address }: { address?: string },
  ): Promise<Problem> {
    this.log.warn({ err: problem, providerId: id }, 'sign-in with a provider failed');
    const principal = systemPrincipal(tenantId, 'sign-in');
    await this.database.tenant(principal, (tx) =>
      this.audit.record(tx, principal, {
        kind: 'sign_in.refused',
        subject: { type: 'sign_in_provider', id, name },
        detail: { code: problem.code, reason: problem.message, address },
      }),
    );
    return problem;
  }
}

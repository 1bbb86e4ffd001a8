import { Injectable } from '@nestjs/common';
import { hashToken } from '../platform/crypto/tokens.js';
import { newId } from '../platform/crypto/ids.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { systemPrincipal } from '../principal/principal.js';
import { alreadySetUp, linkUnusable } from './access.error.js';
import { LinksService } from './links.service.js';
import { memberPrincipal } from './member-principal.js';
import { requireStrongPassword } from './new-password.js';
import { type OpenedSession, SessionsService } from './sessions.service.js';
import { type NewTenant, TenantsService } from './tenants.service.js';
import { claimSetUpLinks, lockSetUp, firstTenants } from './tenants.system.sql.js';

/**
 * First start of an empty installation: issues a link, printed to the operator's terminal, to create the first
 * organization.
 */
@Injectable()
export class SetUpService {
  constructor(
    private readonly database: DatabaseService,
    private readonly links: LinksService,
    private readonly sessions: SessionsService,
    private readonly tenants: TenantsService,
  ) {}

  /** The URL to print if there is no organization yet, otherwise null. Earlier links stay valid for their 24 hours. */
  async issueFirstLink(): Promise<string | null> {
    if (await this.tenants.hasAny()) return null;
    const principal = systemPrincipal(newId(), 'first start');
    const { url } = await this.database.tenant(principal, (tx) => this.links.issue(tx, principal, { kind: 'setup' }));
    return url;
  }

  async requireUsableLink(token: unknown): Promise<void> {
    if (await this.tenants.hasAny()) throw alreadySetUp('The first organization already exists.');
    await this.links.get(token, 'setup');
  }

  /** Uses all set-up links, creates the organization and its first administrator, and signs in. */
  async complete(
    token: unknown,
    { admin, ...newTenant }: NewTenant & { admin: { password: string } },
    userAgent?: string,
  ): Promise<OpenedSession> {
    const link = await this.links.get(token, 'setup');
    requireStrongPassword(admin.password, [admin.email, admin.name, newTenant.name]);
    return this.database.system('set up the first organization', async (lock) => {
      await lock.execute(lockSetUp);
      if (await lock.execute(firstTenants))
        throw alreadySetUp('Another person has just set up the first organization.');
      // rolled back with this transaction if the organization cannot be created
      const claimed = await lock.run(claimSetUpLinks, [hashToken(token as string)]);
      if (!claimed.some(({ isThis }) => isThis)) throw linkUnusable('The link has just been used.');
      const { tenant, admin: first } = await this.tenants.create(
        { name: 'set-up' },
        { ...newTenant, admin },
        link.tenantId,
      );
      const { id: memberId, name, roles } = first;
      const principal = memberPrincipal({ tenantId: tenant.id, memberId, name, roles });
      return this.sessions.open(principal, { memberId, isFresh: true, by: 'link', userAgent });
    });
  }
}

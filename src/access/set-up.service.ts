import { Injectable } from '@nestjs/common';
import { hashToken } from '../platform/crypto/tokens.js';
import { newId } from '../platform/crypto/ids.js';
import { Database } from '../platform/database/database.service.js';
import { systemPrincipal } from '../principal/principal.js';
import { alreadySetUp, linkUnusable } from './access.error.js';
import { LinksService } from './links.service.js';
import { memberPrincipal } from './member-principal.js';
import { requireGoodPassword } from './new-password.js';
import { type OpenedSession, SessionsService } from './sessions.service.js';
import { type NewTenant, TenantsService } from './tenants.service.js';
import { claimSetUpLinks, lockSetUp, firstTenants } from './tenants.system.sql.js';

/** The first start of an empty installation: one link, on the operator's terminal, for the first organization. */
@Injectable()
export class SetUpService {
  constructor(
    private readonly database: Database,
    private readonly links: LinksService,
    private readonly sessions: SessionsService,
    private readonly tenants: TenantsService,
  ) {}

  /** The address to print where there is no organization yet, else null. Former links keep working for their 24 hours. */
  async firstLink(): Promise<string | null> {
    if (await this.tenants.isAny()) return null;
    const promised = systemPrincipal(newId(), 'first start');
    const { url } = await this.database.tenant(promised, (tx) => this.links.issue(tx, promised, { kind: 'setup' }));
    return url;
  }

  async read(token: unknown): Promise<void> {
    if (await this.tenants.isAny()) throw alreadySetUp('There is an organization already.');
    await this.links.read(token, 'setup');
  }

  /** Uses up every set-up link, makes the organization and its first administrator, and signs in. */
  async complete(
    token: unknown,
    { admin, ...wanted }: NewTenant & { admin: { password: string } },
    userAgent?: string,
  ): Promise<OpenedSession> {
    const link = await this.links.read(token, 'setup');
    requireGoodPassword(admin.password, [admin.email, admin.name, wanted.name]);
    return this.database.system('set up the first organization', async (lock) => {
      await lock.query(lockSetUp);
      const present: unknown[] = await lock.query(firstTenants);
      if (present.length) throw alreadySetUp('Somebody set the first organization up a moment ago.');
      // rolled back with this transaction where the organization cannot be made
      const [claimed] = await lock.query<[{ isThis: boolean }[], number]>(claimSetUpLinks, [
        hashToken(token as string),
      ]);
      if (!claimed.some(({ isThis }) => isThis)) throw linkUnusable('The link was used a moment ago.');
      const { tenant, admin: first } = await this.tenants.create(
        { name: 'set-up' },
        { ...wanted, admin },
        link.tenantId,
      );
      const { id: memberId, name, roles } = first;
      const principal = memberPrincipal({ tenantId: tenant.id, memberId, name, roles });
      return this.sessions.open(principal, { memberId, isFresh: true, by: 'link', userAgent });
    });
  }
}

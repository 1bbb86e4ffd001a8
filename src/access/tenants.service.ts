import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import { newId } from '../platform/crypto/ids.js';
import { hashPassword } from '../platform/crypto/passwords.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { invalidRequest } from '../platform/errors/general.error.js';
import { type Principal, systemPrincipal } from '../principal/principal.js';
import { nameTaken } from './access.error.js';
import { isUniqueViolation } from '../platform/database/database-error.js';
import type { Member } from './member.entity.js';
import { MembershipsService } from './memberships.service.js';
import { requireSession } from './sessions.service.js';
import { slugFault, slugFrom } from './slug.js';
import { Tenant } from './tenant.entity.js';
import { firstTenants, tenantBySlug } from './tenants.system.sql.js';

export interface NewTenant {
  name: string;
  /** Derived from the name if omitted. */
  slug?: string;
  admin: { email: string; name: string; password?: string };
}

type TenantCreatedHandler = (tenant: Tenant) => Promise<void>;

@Injectable()
export class TenantsService {
  private readonly handlers: TenantCreatedHandler[] = [];

  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly memberships: MembershipsService,
  ) {}

  /** The handler runs after the commit. Its failures are its own business. */
  onCreated(handler: TenantCreatedHandler): void {
    this.handlers.push(handler);
  }

  /**
   * Creates an organization and its first administrator in one transaction. Without a password the administrator signs
   * in with a link (`PasswordsService.issueReset`). `by` names the actor for the audit log; `id` is the id reserved by
   * a set-up link.
   */
  async create(
    by: { name: string },
    { name, slug = slugFrom(name), admin }: NewTenant,
    id = newId(),
  ): Promise<{ tenant: Tenant; admin: Member }> {
    const fault = slugFault(slug);
    if (fault) throw invalidRequest(`The URL slug ${fault}.`, { errors: [{ pointer: '/slug', detail: fault }] });
    const passwordHash = admin.password === undefined ? null : await hashPassword(admin.password);
    const principal = systemPrincipal(id, by.name);
    const creation = this.database.tenant(principal, async (tx) => {
      const tenant = tx.create(Tenant, {
        id,
        slug,
        name: name.trim(),
        createdAt: new Date(),
        pausedAt: null,
        requiresSecondFactor: false,
      });
      await tx.insert(Tenant, tenant);
      await this.audit.record(tx, principal, {
        kind: 'tenant.created',
        subject: { type: 'tenant', id, name: tenant.name },
      });
      const founder = { email: admin.email, name: admin.name, roles: ['admin', 'member'] as const, passwordHash };
      const first = await this.memberships.createMember(tx, principal, founder, { by: null });
      return { tenant, admin: first };
    });
    const created = await creation.catch((error: unknown) => {
      throw isUniqueViolation(error, 'tenants_slug_key')
        ? nameTaken(`There is already an organization with the URL slug "${slug}".`)
        : error;
    });
    for (const handle of this.handlers) await handle(created.tenant);
    return created;
  }

  get(principal: Principal): Promise<Tenant> {
    return this.database.tenant(principal, (tx) => tx.findOneByOrFail(Tenant, { id: principal.tenantId }));
  }

  async rename(principal: Principal, name: string): Promise<Tenant> {
    requireSession(principal);
    return this.change(principal, 'tenant.renamed', () => ({ name: name.trim() }));
  }

  /** Organization-wide kill switch: the next call of every agent, product and machine fails, in every process. */
  pause(principal: Principal): Promise<Tenant> {
    return this.change(principal, 'tenant.paused', ({ pausedAt }) => (pausedAt ? null : { pausedAt: new Date() }));
  }

  async resume(principal: Principal): Promise<Tenant> {
    requireSession(principal);
    return this.change(principal, 'tenant.resumed', ({ pausedAt }) => (pausedAt ? { pausedAt: null } : null));
  }

  async requireSecondFactor(principal: Principal, isRequired: boolean): Promise<Tenant> {
    requireSession(principal);
    const kind = isRequired ? 'tenant.second_factor_required' : 'tenant.second_factor_left_to_members';
    return this.change(principal, kind, ({ requiresSecondFactor }) =>
      requiresSecondFactor === isRequired ? null : { requiresSecondFactor: isRequired },
    );
  }

  /** The organization of the sign-in page: the named one, or the only one. */
  async findForSignIn(slug?: string): Promise<Tenant | null> {
    const rows = await this.database.system('find the organization', (tx) =>
      slug ? tx.run(tenantBySlug, [slug]) : tx.run(firstTenants),
    );
    return rows.length === 1 ? rows[0] : null;
  }

  async hasAny(): Promise<boolean> {
    return (await this.database.system('check for an organization', (tx) => tx.execute(firstTenants))) > 0;
  }

  /** `decide` returns null if there is nothing to change: a second pause keeps the time of the first. */
  private change(
    principal: Principal,
    kind: string,
    decide: (tenant: Tenant) => Partial<Tenant> | null,
  ): Promise<Tenant> {
    const { tenantId: id } = principal;
    return this.database.tenant(principal, async (tx) => {
      const tenant = await tx.findOneOrFail(Tenant, { where: { id }, lock: { mode: 'pessimistic_write' } });
      const change = decide(tenant);
      if (!change) return tenant;
      await tx.update(Tenant, { id }, change);
      await this.audit.record(tx, principal, {
        kind,
        subject: { type: 'tenant', id, name: change.name ?? tenant.name },
      });
      return Object.assign(tenant, change);
    });
  }
}

import { newId } from '../../src/platform/crypto/ids.js';
import { DatabaseService } from '../../src/platform/database/database.service.js';
import type { Organization } from './organization.js';
import type { TestServer } from './server.js';
import { runSql } from './run-sql.js';

interface NewIdentity {
  kind?: 'email' | 'login' | 'vendor_user_id' | 'service_account' | 'api_key' | 'unattributed';
  key: string;
  email?: string;
  vendorUserId?: string;
  name?: string;
  hasSeat?: boolean;
}

/** A connection with identities as a sync leaves them, without a vendor. */
export class SpendIdentityFixture {
  static async create(server: TestServer, organization: Organization, kind = 'cursor'): Promise<SpendIdentityFixture> {
    const feed = new SpendIdentityFixture(server, organization, newId());
    await feed.query(
      `insert into connections
         (tenant_id, id, kind, name, slug, settings, revision, status, verified_at, created_at)
       values ($1, $2, $3, $3, $4, '{}', 1, 'connected', now(), now())`,
      [feed.id, kind, `c${feed.id.slice(-12)}`],
    );
    return feed;
  }

  private constructor(
    private readonly server: TestServer,
    private readonly organization: Organization,
    readonly id: string,
  ) {}

  async createIdentity({
    kind = 'email',
    key,
    email,
    vendorUserId,
    name,
    hasSeat = true,
  }: NewIdentity): Promise<number> {
    const [{ id }] = await this.query<{ id: number }>(
      `insert into spend_identities
         (tenant_id, connection_id, kind, key, email, vendor_user_id, name, is_ignored, has_seat, first_seen)
       values ($1, $2, $3, $4, $5, $6, $7, false, $8, now()) returning id`,
      [this.id, kind, key, email ?? (kind === 'email' ? key : null), vendorUserId, name, hasSeat],
    );
    return id;
  }

  /** The match of an identity: the method and the person. */
  async getMatch(id: number): Promise<{ matchedBy: string | null; name: string | null; email: string | null }> {
    const [row] = await this.query<{ matchedBy: string | null; name: string | null; email: string | null }>(
      `select i.matched_by as "matchedBy", p.name, p.email
       from spend_identities i left join spend_people p on p.tenant_id = i.tenant_id and p.id = i.person_id
       where i.tenant_id = $1 and i.id = $2`,
      [id],
    );
    return row;
  }

  /** $1 is the tenant; `values` follow. */
  query<Row>(sql: string, values: unknown[]): Promise<Row[]> {
    const { tenant, system } = this.organization;
    return this.server.app.get(DatabaseService).tenant(system, (tx) => runSql(tx, sql, [tenant.id, ...values]));
  }
}

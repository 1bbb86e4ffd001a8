import { newId } from '../../src/platform/crypto/ids.js';
import { DatabaseService } from '../../src/platform/database/database.service.js';
import type { Organization } from './organization.js';
import type { TestServer } from './server.js';
import { runSql } from './run-sql.js';

/** Spend rows written directly to the tables, for tests of reports that do not depend on syncs. */
export interface SeededDay {
  day: string;
  /** The key of an identity. */
  of: string;
  [sum: string]: string | number | null;
}
export interface SeededCharge {
  day: string;
  of: string;
  model: string;
  isIncluded?: boolean;
  events?: number;
  [sum: string]: string | number | boolean | null | undefined;
}

export class SpendFixture {
  private readonly database: DatabaseService;
  private readonly identities = new Map<string, number>();
  private readonly models = new Map<string, number>();

  constructor(
    server: TestServer,
    private readonly organization: Organization,
  ) {
    this.database = server.app.get(DatabaseService);
  }

  query<Row = Record<string, unknown>>(text: string, values: unknown[] = []): Promise<Row[]> {
    return this.database.tenant(this.organization.system, (tx) => runSql<Row>(tx, text, values));
  }

  private get tenantId(): string {
    return this.organization.tenant.id;
  }

  /** Creates a paused connection: no sync runs, so no sync sets the coverage of its days. */
  async createConnection(slug = 'cursor'): Promise<string> {
    const id = newId();
    await this.query(
      `insert into connections (tenant_id, id, kind, name, slug, settings, revision, status, paused_at, created_at)
       values ($1, $2, 'cursor', $3, $3, '{}', 1, 'connected', now(), now())`,
      [this.tenantId, id, slug],
    );
    return id;
  }

  async createUnit(kind: 'group' | 'cost_centre', name: string): Promise<string> {
    const id = newId();
    await this.query('insert into spend_units (tenant_id, id, kind, name) values ($1, $2, $3, $4)', [
      this.tenantId,
      id,
      kind,
      name,
    ]);
    return id;
  }

  async createPerson(
    name: string,
    {
      group = null,
      costCentre = null,
      member = null,
    }: { group?: string | null; costCentre?: string | null; member?: string | null } = {},
  ): Promise<string> {
    const id = newId();
    await this.query(
      `insert into spend_people (tenant_id, id, email, name, pseudonym, is_service_account, group_id, cost_centre_id, member_id, created_at)
       values ($1, $2, $3, $4, $5, false, $6, $7, $8, now())`,
      [
        this.tenantId,
        id,
        `${name.toLowerCase()}@people.example`,
        name,
        `Someone ${name.length}${id.slice(-4)}`,
        group,
        costCentre,
        member,
      ],
    );
    return id;
  }

  async createIdentity(connectionId: string, key: string, personId: string | null = null): Promise<number> {
    const [{ id }] = await this.query<{ id: number }>(
      `insert into spend_identities (tenant_id, connection_id, kind, key, email, person_id, matched_by, is_ignored, has_seat, first_seen)
       values ($1, $2, 'email', $3, $3, $4, $5, false, true, now()) returning id`,
      [this.tenantId, connectionId, key, personId, personId && 'email'],
    );
    this.identities.set(key, id);
    return id;
  }

  /** Matches an identity to a person; null for no one. */
  match(identity: number, personId: string | null): Promise<unknown> {
    return this.query(
      'update spend_identities set person_id = $2::uuid, matched_by = case when $2::uuid is not null then $3 end where id = $1',
      [identity, personId, 'person'],
    );
  }

  setUnits(personId: string, group: string | null, costCentre: string | null): Promise<unknown> {
    return this.query('update spend_people set group_id = $2, cost_centre_id = $3 where id = $1', [
      personId,
      group,
      costCentre,
    ]);
  }

  /** An analyst who can see individuals of these groups, or of all groups. */
  async createAnalyst(groups: string[] | 'all' = 'all') {
    const member = await this.organization.member({ name: 'Ann Analyst', roles: ['analyst'] });
    for (const unit of groups === 'all' ? [null] : groups)
      await this.query(
        'insert into spend_views (tenant_id, member_id, unit_id, granted_at) values ($1, $2, $3, now())',
        [this.tenantId, member.id, unit],
      );
    return member;
  }

  /** Sets the coverage of a day in both streams. */
  setCoverage(
    connectionId: string,
    day: string,
    state: 'pending' | 'provisional' | 'final' | 'lost',
  ): Promise<unknown> {
    return this.query(
      `insert into spend_coverage (tenant_id, connection_id, stream, day, state, revision, faulty_rows, unknown_fields)
       select $1, $2, stream, $3, $4, 0, 0, 0 from unnest(array['usage', 'events']) stream`,
      [this.tenantId, connectionId, day, state],
    );
  }

  async createDay({ day, of, ...sums }: SeededDay): Promise<void> {
    const columns = Object.keys(sums);
    await this.query(
      `insert into spend_days (tenant_id, day, identity${columns.map((name) => `, ${name}`).join('')})
       values ($1, $2, $3${columns.map((_, index) => `, $${index + 4}`).join('')})`,
      [this.tenantId, day, this.identities.get(of), ...Object.values(sums)],
    );
  }

  async createCharge({ day, of, model, isIncluded = false, events = 1, ...sums }: SeededCharge): Promise<void> {
    const columns = Object.keys(sums);
    await this.query(
      `insert into spend_charges (tenant_id, day, identity, model, is_included, events${columns.map((name) => `, ${name}`).join('')})
       values ($1, $2, $3, $4, $5, $6${columns.map((_, index) => `, $${index + 7}`).join('')})`,
      [
        this.tenantId,
        day,
        this.identities.get(of),
        await this.modelId(model),
        isIncluded,
        events,
        ...Object.values(sums),
      ],
    );
  }

  private async modelId(name: string): Promise<number> {
    const known = this.models.get(name);
    if (known !== undefined) return known;
    const [{ id }] = await this.query<{ id: number }>(
      'insert into spend_models (tenant_id, name) values ($1, $2) returning id',
      [this.tenantId, name],
    );
    this.models.set(name, id);
    return id;
  }
}

import { Injectable } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { invalidRequest } from '../../platform/errors/general.error.js';
import { decodeCursor, toPage, type Page, type PageArgs } from '../../platform/graphql/connection.js';
import type { Principal } from '../../principal/principal.js';
import type { VersionUser } from '../../people/client-usage/client-usage.port.js';
import { ClientUsageRegistry } from '../../people/client-usage/client-usage-registry.service.js';
import { PeopleVisibilityService } from '../../people/people-visibility.service.js';
import { OwnerVisibility } from '../owner-visibility.js';
import { utcDaysAgo, usageWindowDays } from './comparison/vendor-usage-evaluator.service.js';
import type { EstateFinding, EstateFindingCount, FindingState } from './finding.entity.js';
import { findingNotFound, findingResolved } from './findings.error.js';
import {
  countFindings,
  dismissFindings,
  type FindingIdentity,
  type FindingRow,
  listFindings,
  findFindings,
  reopenFindings,
} from './findings-list.sql.js';
import type { RuleId, Severity } from './rule.js';

export interface FindingFilter {
  state?: FindingState | null;
  severities?: Severity[] | null;
  rules?: RuleId[] | null;
  fileId?: string | null;
  serverId?: string | null;
  connectionId?: string | null;
}

const maxListedUsers = 200;

/** Lists, dismisses and reopens findings. */
@Injectable()
export class FindingsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly clientUsage: ClientUsageRegistry,
    private readonly peopleVisibility: PeopleVisibilityService,
  ) {}

  /** Most severe first, then newest first. */
  list(principal: Principal, { first, after }: PageArgs, filter: FindingFilter = {}): Promise<Page<EstateFinding>> {
    const {
      state = null,
      severities = null,
      rules = null,
      fileId = null,
      serverId = null,
      connectionId = null,
    } = filter;
    const place = after ? positionValues(after) : firstPage;
    return this.database.tenant(principal, async (tx) => {
      const rows = await tx.run(listFindings, [
        principal.tenantId,
        state,
        severities,
        rules,
        fileId,
        serverId,
        connectionId,
        ...place,
        first + 1,
      ]);
      const findings = await this.visible(tx, principal, rows);
      return toPage(findings, first, rows[0]?.total ?? 0, ({ rank, position, id }) => [String(rank), position, id]);
    });
  }

  get(principal: Principal, id: string): Promise<EstateFinding> {
    return this.database.tenant(principal, async (tx) => (await this.load(tx, principal, [id]))[0]);
  }

  counts(principal: Principal): Promise<EstateFindingCount[]> {
    return this.database.tenant(principal, (tx) => tx.run(countFindings, [principal.tenantId]));
  }

  /** Dismissed findings are reported again only if their severity rises, or if they are resolved and reappear. */
  dismiss(principal: Principal, ids: readonly string[], reason: string): Promise<EstateFinding[]> {
    return this.database.tenant(principal, async (tx) => {
      await this.load(tx, principal, ids);
      const done = await tx.run(dismissFindings, [principal.tenantId, ids, principal.memberId ?? null, reason]);
      if (done.length < new Set(ids).size) throw findingResolved('One of the findings is already resolved.');
      await this.record(tx, principal, 'dismissed', done, { reason });
      return this.load(tx, principal, ids);
    });
  }

  reopen(principal: Principal, ids: readonly string[]): Promise<EstateFinding[]> {
    return this.database.tenant(principal, async (tx) => {
      await this.load(tx, principal, ids);
      const done = await tx.run(reopenFindings, [principal.tenantId, ids]);
      await this.record(tx, principal, 'reopened', done);
      return this.load(tx, principal, ids);
    });
  }

  /** The users of the outdated client whom the caller may see. Each access is recorded. */
  listUsers(principal: Principal, { rule, connectionId, evidence, id }: EstateFinding): Promise<VersionUser[]> {
    const version = evidence.version;
    if (rule !== 'outdated_client' || !connectionId || typeof version !== 'string') return Promise.resolve([]);
    return this.database.tenant(principal, async (tx) => {
      const visibility = await this.peopleVisibility.resolve(principal, tx);
      const query = { connectionId, version, since: utcDaysAgo(usageWindowDays) };
      const users = await this.clientUsage.source.listVersionUsers(tx, principal, query, visibility, maxListedUsers);
      if (users.length) await this.peopleVisibility.recordRead(tx, principal, { finding: id, connectionId, version });
      return users;
    });
  }

  private async load(tx: Tx, principal: Principal, ids: readonly string[]): Promise<EstateFinding[]> {
    const rows = await tx.run(findFindings, [principal.tenantId, ids]);
    const missing = ids.find((id) => !rows.some((row) => row.id === id));
    if (missing) throw findingNotFound(`The finding ${missing} was not found.`);
    return this.visible(tx, principal, rows);
  }

  /** Masks names of people in quoted file content if the caller may not see the owner. */
  private async visible<T extends FindingRow>(tx: Tx, principal: Principal, rows: readonly T[]): Promise<T[]> {
    const owners = new OwnerVisibility(principal, await this.peopleVisibility.resolve(principal, tx));
    return rows.map((row) => {
      const { reason, evidence, fix } = row;
      return {
        ...row,
        ...owners.mask({ reason, evidence, fix }, row),
        path: row.path && owners.pathOf(row.path, row),
      };
    });
  }

  private record(
    tx: Tx,
    principal: Principal,
    action: string,
    findings: readonly FindingIdentity[],
    detail: Record<string, unknown> = {},
  ): Promise<void> {
    return this.audit.recordAll(
      tx,
      findings.map(({ id, rule }) => ({
        principal,
        record: {
          kind: `estate_finding.${action}`,
          subject: { type: 'estate_finding', id },
          detail: { rule, ...detail },
        },
      })),
    );
  }
}

const moment = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?([+-]\d\d(:\d\d)?)?$/;

type Position = [rank: number | null, firstSeen: string | null, id: string | null];
const firstPage: Position = [null, null, null];

function positionValues(cursor: string): Position {
  const [rank, firstSeen, id] = decodeCursor(cursor, ['text', 'text', 'id']);
  if (/^[0-4]$/.test(rank) && moment.test(firstSeen) && !Number.isNaN(Date.parse(firstSeen)))
    return [Number(rank), firstSeen, id];
  throw invalidRequest('The cursor is invalid or belongs to another list.');
}

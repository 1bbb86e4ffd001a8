import { Injectable } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import { newId } from '../../platform/crypto/ids.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { invalidRequest } from '../../platform/errors/general.error.js';
import { decodeCursor, toPage, type Page, type PageArgs } from '../../platform/graphql/connection.js';
import type { Principal } from '../../principal/principal.js';
import { definedServers } from './comparison/declared-servers.sql.js';
import { alreadyApproved, estateApprovalNotFound, entryNotFound } from './findings.error.js';
import { FindingEvaluationService } from './evaluation/finding-evaluation.service.js';
import type { EstateApproval } from './approved/estate-approval.entity.js';
import { ApprovedList, type ApprovedKind } from './approved/approved-list.js';
import { parseApprovedValue } from './approved/approved-value.js';
import {
  type ApprovalRow,
  insertApproved,
  findEntryDefinition,
  listApproved,
  findApproved,
  revokeApproved,
} from './approved/estate-approvals.sql.js';

/** Manages the list of servers that assistants may use. Each change reevaluates the findings. */
@Injectable()
export class EstateApprovalsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly findingEvaluation: FindingEvaluationService,
  ) {}

  /** Newest first. */
  list(principal: Principal, { first, after }: PageArgs): Promise<Page<EstateApproval>> {
    const [id] = after ? decodeCursor(after, ['id']) : [null];
    return this.database.tenant(principal, async (tx) => {
      const rows = await tx.run(listApproved, [principal.tenantId, id, first + 1]);
      const found = toPage(rows, first, rows[0]?.total ?? 0, (row) => [row.id]);
      return { ...found, nodes: await withEntryCounts(tx, principal, found.nodes) };
    });
  }

  /** A package, a host, or a definition by its hash. */
  approve(
    principal: Principal,
    { kind, value: typed, note }: { kind: ApprovedKind; value: string; note?: string | null },
  ): Promise<EstateApproval> {
    const checked = parseApprovedValue(kind, typed);
    if ('wrong' in checked)
      throw invalidRequest(`The ${kind} ${checked.wrong}.`, { errors: [{ pointer: '/value', detail: checked.wrong }] });
    return this.database.tenant(principal, (tx) => this.add(tx, principal, { kind, ...checked, serverId: null, note }));
  }

  /** Approves exactly the current definition of an entry. */
  approveEntry(principal: Principal, entryId: string, note?: string | null): Promise<EstateApproval> {
    return this.database.tenant(principal, async (tx) => {
      const entry = await tx.one(findEntryDefinition, [principal.tenantId, entryId]);
      if (!entry) throw entryNotFound('The entry was not found.');
      const { serverId, hash: value } = entry;
      return this.add(tx, principal, { kind: 'definition', value, serverId, note });
    });
  }

  /** Revokes an approval. The audit log still shows who approved it and when. */
  revoke(principal: Principal, id: string): Promise<string> {
    return this.database.tenant(principal, async (tx) => {
      const revoked = await tx.one(revokeApproved, [principal.tenantId, id]);
      if (!revoked) throw estateApprovalNotFound('The approval was not found.');
      await this.record(tx, principal, 'withdrawn', { id, ...revoked });
      await this.findingEvaluation.requestEvaluation(tx, principal);
      return id;
    });
  }

  private async add(
    tx: Tx,
    principal: Principal,
    line: { kind: ApprovedKind; value: string; serverId: string | null; note?: string | null },
  ): Promise<EstateApproval> {
    const { tenantId, memberId = null } = principal;
    const { kind, value, serverId, note = null } = line;
    const id = newId();
    const added = await tx.execute(insertApproved, [tenantId, id, kind, value, serverId, note, memberId]);
    if (!added) throw alreadyApproved(`${value} is already approved.`);
    await this.record(tx, principal, 'approved', { id, kind, value }, { serverId, note });
    await this.findingEvaluation.requestEvaluation(tx, principal);
    const rows = await tx.run(findApproved, [tenantId, id]);
    return (await withEntryCounts(tx, principal, rows))[0];
  }

  private record(
    tx: Tx,
    principal: Principal,
    action: string,
    { id, kind, value }: { id: string; kind: ApprovedKind; value: string },
    detail: Record<string, unknown> = {},
  ): Promise<void> {
    return this.audit.record(tx, principal, {
      kind: `estate_server.${action}`,
      subject: { type: 'estate_approval', id, name: value },
      detail: { kind, ...detail },
    });
  }
}

/** Adds the number of entries that each approval allows. */
async function withEntryCounts(
  tx: Tx,
  { tenantId }: Principal,
  rows: readonly ApprovalRow[],
): Promise<EstateApproval[]> {
  if (!rows.length) return [];
  const servers = await tx.run(definedServers, [tenantId]);
  return rows.map((row) => {
    const list = new ApprovedList([row]);
    const allowed = servers.filter((server) => list.allows(server));
    return { ...row, entries: allowed.reduce((sum, { entries }) => sum + entries, 0) };
  });
}

import { Injectable } from '@nestjs/common';
import { ApprovalPeopleService } from '../approvals/approval-people.service.js';
import { ConfigurationNamesService } from '../configurations/configuration-names.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { invalidRequest } from '../platform/errors/general.error.js';
import { decodeCursor, type Page, type PageArgs, toPage } from '../platform/graphql/connection.js';
import { isDay } from '../platform/time/day.js';
import type { Principal } from '../principal/principal.js';
import {
  countUnviewedDecisions,
  type DecisionPeriodRow,
  selectApproverTimes,
  selectDecisionPeriods,
  selectStepTimes,
  selectUnviewedDecisions,
  type StepTimesRow,
  type UnviewedDecisionRow,
} from './decision-times.sql.js';
import type { ApproverDecisionTimes, UnviewedDecision } from './governance-report.object.js';
import type { ReportRange } from './report-range.js';

/** Those with the most decisions. */
const maxApprovers = 500;

/** How long approvals take, and which were decided without a view of the arguments. */
@Injectable()
export class DecisionTimesService {
  constructor(
    private readonly database: DatabaseService,
    private readonly people: ApprovalPeopleService,
    private readonly configurationNames: ConfigurationNamesService,
  ) {}

  listSteps(principal: Principal, { start, end }: ReportRange): Promise<StepTimesRow[]> {
    return this.database.tenant(principal, (tx) => tx.run(selectStepTimes, [principal.tenantId, start, end]));
  }

  /** `limit` null: all of them. */
  async listApprovers(
    principal: Principal,
    { start, end }: ReportRange,
    limit: number | null = maxApprovers,
  ): Promise<ApproverDecisionTimes[]> {
    const { tenantId } = principal;
    const rows = await this.database.tenant(principal, (tx) =>
      tx.run(selectApproverTimes, [tenantId, start, end, limit]),
    );
    return Promise.all(
      rows.map(async (row) => ({ ...row, memberName: (await this.people.load(tenantId, row.memberId)).name })),
    );
  }

  /** Oldest first. */
  listPeriods(principal: Principal, { start, end, interval }: ReportRange): Promise<DecisionPeriodRow[]> {
    return this.database.tenant(principal, (tx) =>
      tx.run(selectDecisionPeriods, [principal.tenantId, start, end, interval]),
    );
  }

  /** Newest first. */
  async listUnviewed(
    principal: Principal,
    { start, end }: ReportRange,
    { first, after }: PageArgs,
  ): Promise<Page<UnviewedDecision>> {
    const { tenantId } = principal;
    const [at, approvalId, memberId] = after ? decodePosition(after) : [null, null, null];
    const { rows, count } = await this.database.tenant(principal, async (tx) => {
      const rows = await tx.run(selectUnviewedDecisions, [tenantId, start, end, first + 1, at, approvalId, memberId]);
      return { rows, count: (await tx.one(countUnviewedDecisions, [tenantId, start, end]))!.count };
    });
    const page = toPage(rows, first, count, (row) => [row.position, row.approvalId, row.memberId]);
    return { ...page, nodes: await Promise.all(page.nodes.map((row) => this.withNames(tenantId, row))) };
  }

  private async withNames(tenantId: string, row: UnviewedDecisionRow): Promise<UnviewedDecision> {
    const [{ name: memberName }, configurationName] = await Promise.all([
      this.people.load(tenantId, row.memberId),
      this.configurationNames.load(tenantId, row.configurationId),
    ]);
    return { ...row, memberName, configurationName };
  }
}

function decodePosition(cursor: string): string[] {
  const position = decodeCursor(cursor, ['text', 'id', 'id']);
  // as PostgreSQL writes times in UTC
  const [, day] = /^(.{10}) (?:[01]\d|2[0-3])(?::[0-5]\d){2}(?:\.\d{1,6})?\+00$/.exec(position[0]) ?? [];
  if (!day || !isDay(day)) throw invalidRequest('The cursor does not belong to this list.');
  return position;
}

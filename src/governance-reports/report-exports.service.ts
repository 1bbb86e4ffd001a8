import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { type CsvColumn, csvHeader, csvRow } from '../platform/http/csv.js';
import type { DayRange } from '../platform/time/day.js';
import type { Principal } from '../principal/principal.js';
import { DecisionTimesService } from './decision-times.service.js';
import { GovernanceReportsService } from './governance-reports.service.js';
import { PolicyUsageService } from './policy-usage.service.js';
import {
  approverTimesColumns,
  stepTimesColumns,
  unmatchedPolicyColumns,
  unusedToolColumns,
  unviewedDecisionColumns,
} from './report-columns.js';
import type { ReportRange } from './report-range.js';
import { ToolUsageService } from './tool-usage.service.js';

export const reportFiles = [
  'approval-steps',
  'approvers',
  'unviewed-decisions',
  'unmatched-policies',
  'unused-tools',
] as const;
export type ReportFile = (typeof reportFiles)[number];

const pageSize = 200;

/** Writes the lists of a report as CSV, complete. */
@Injectable()
export class ReportExportsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly reports: GovernanceReportsService,
    private readonly decisionTimes: DecisionTimesService,
    private readonly policyUsage: PolicyUsageService,
    private readonly toolUsage: ToolUsageService,
  ) {}

  /** The export is recorded before the first line is returned. */
  async *export(principal: Principal, file: ReportFile, days: DayRange): AsyncGenerator<string> {
    const range = this.reports.rangeOf(days);
    await this.database.tenant(principal, (tx) =>
      this.audit.record(tx, principal, { kind: 'report.exported', detail: { file, ...days } }),
    );
    yield* this.linesOf(principal, file, range);
  }

  private async *linesOf(principal: Principal, file: ReportFile, range: ReportRange): AsyncGenerator<string> {
    switch (file) {
      case 'approval-steps':
        return yield toCsv(stepTimesColumns, await this.decisionTimes.listSteps(principal, range));
      case 'approvers':
        return yield toCsv(approverTimesColumns, await this.decisionTimes.listApprovers(principal, range, null));
      case 'unviewed-decisions':
        return yield* this.unviewedDecisions(principal, range);
      case 'unmatched-policies':
        return yield toCsv(unmatchedPolicyColumns, (await this.policyUsage.load(principal, range)).unmatched);
      case 'unused-tools':
        return yield toCsv(unusedToolColumns, (await this.toolUsage.load(principal, range)).unused);
    }
  }

  private async *unviewedDecisions(principal: Principal, range: ReportRange): AsyncGenerator<string> {
    yield csvHeader(unviewedDecisionColumns);
    for (let after: string | null = null; ;) {
      const page = await this.decisionTimes.listUnviewed(principal, range, { first: pageSize, after });
      if (page.nodes.length) yield page.nodes.map((row) => csvRow(unviewedDecisionColumns, row)).join('');
      if (!page.pageInfo.hasNextPage) return;
      after = page.pageInfo.endCursor;
    }
  }
}

const toCsv = <Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): string =>
  csvHeader(columns) + rows.map((row) => csvRow(columns, row)).join('');

import { Injectable } from '@nestjs/common';
import { Config } from '../platform/config/config.js';
import type { DayRange } from '../platform/time/day.js';
import type { Principal } from '../principal/principal.js';
import type { UnmatchedPolicyRules, UnusedTools } from './governance-report.object.js';
import { PolicyUsageService } from './policy-usage.service.js';
import { type ReportRange, reportRangeOf } from './report-range.js';
import { ToolUsageService } from './tool-usage.service.js';

/** Exports have all of them. */
const maxListed = 500;

@Injectable()
export class GovernanceReportsService {
  constructor(
    private readonly config: Config,
    private readonly policyUsage: PolicyUsageService,
    private readonly toolUsage: ToolUsageService,
  ) {}

  rangeOf(days: DayRange): ReportRange {
    return reportRangeOf(days, this.config.task.retentionDays, Date.now());
  }

  async unmatchedPolicyRules(principal: Principal, range: ReportRange): Promise<UnmatchedPolicyRules> {
    const { policyCount, unmatched } = await this.policyUsage.load(principal, range);
    return { policyCount, totalCount: unmatched.length, nodes: unmatched.slice(0, maxListed) };
  }

  async unusedTools(principal: Principal, range: ReportRange): Promise<UnusedTools> {
    const { toolCount, unused } = await this.toolUsage.load(principal, range);
    return { toolCount, totalCount: unused.length, nodes: unused.slice(0, maxListed) };
  }
}

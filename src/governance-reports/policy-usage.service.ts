import { Injectable } from '@nestjs/common';
import { Configuration } from '../configurations/configuration.entity.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { type ListedPolicyRule, listPolicyRules } from '../policies/policy-rules.port.js';
import type { Principal } from '../principal/principal.js';
import {
  type PolicyUsageRow,
  type ReportedRevisionRow,
  selectLatestRevisions,
  selectPolicyUsage,
} from './call-usage.sql.js';
import type { UnmatchedPolicyRule } from './governance-report.object.js';
import type { ReportRange } from './report-range.js';
import { ruleHistories } from './rule-history.js';

/** Each text has up to 128 KiB. */
const maxRevisions = 20;

interface PolicyUsage {
  policyCount: number;
  /** All of them, by name of the configuration, in the order of the texts. */
  unmatched: UnmatchedPolicyRule[];
}

/** Which policies take part in decisions, by the ledger. */
@Injectable()
export class PolicyUsageService {
  constructor(private readonly database: DatabaseService) {}

  load(principal: Principal, { startId, endId }: ReportRange): Promise<PolicyUsage> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const configurations = await tx.find(Configuration, { where: { tenantId }, order: { name: 'ASC', id: 'ASC' } });
      const usage = Map.groupBy(
        await tx.run(selectPolicyUsage, [tenantId, startId, endId]),
        ({ configurationId }) => configurationId,
      );
      const all: PolicyUsage = { policyCount: 0, unmatched: [] };
      for (const configuration of configurations) {
        const own = await this.usageOf(tx, configuration, usage.get(configuration.id) ?? []);
        all.policyCount += own.policyCount;
        all.unmatched.push(...own.unmatched);
      }
      return all;
    });
  }

  private async usageOf(
    tx: Tx,
    { tenantId, id: configurationId, name: configurationName }: Configuration,
    usage: readonly PolicyUsageRow[],
  ): Promise<PolicyUsage> {
    const revisions = await tx.run(selectLatestRevisions, [tenantId, configurationId, maxRevisions]);
    const histories = ruleHistories(revisions.map(withRules));
    const unmatched = histories.flatMap(({ rule: { id: policyId, effect, step }, firstRevision, since }) =>
      usage.some((row) => row.policyId === policyId && row.revision >= firstRevision)
        ? []
        : [
            {
              configurationId,
              configurationName,
              policyId,
              effect,
              step,
              revision: revisions[0].revision,
              unchangedSince: since,
            },
          ],
    );
    return { policyCount: histories.length, unmatched };
  }
}

const withRules = ({
  text,
  ...revision
}: ReportedRevisionRow): Omit<ReportedRevisionRow, 'text'> & { rules: ListedPolicyRule[] } => ({
  ...revision,
  rules: listPolicyRules(text),
});

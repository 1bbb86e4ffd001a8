import { Injectable } from '@nestjs/common';
import { newId } from '../../../platform/crypto/ids.js';
import { OutboxService } from '../../../platform/events/outbox.service.js';
import type { Tx } from '../../../platform/database/tx.js';
import type { Principal } from '../../../principal/principal.js';
import { type RuleId, severities } from '../rule.js';
import {
  upsertFindings,
  storedFindingsInFiles,
  storedFindingsOfRules,
  type StoredFinding,
  resolveFindings,
} from './findings.sql.js';
import type { FindingRecord } from './finding-record.js';

/**
 * Merges current findings with stored ones: new findings are published once, missing ones are resolved. Callers have to
 * hold `lockEvaluation`.
 */
@Injectable()
export class FindingsRepository {
  constructor(private readonly outbox: OutboxService) {}

  /** `findings`: all current findings of these rules in these files. */
  async replaceInFiles(
    tx: Tx,
    principal: Principal,
    { files, rules, findings }: { files: string[]; rules: RuleId[]; findings: FindingRecord[] },
  ): Promise<void> {
    const known = await tx.run(storedFindingsInFiles, [principal.tenantId, files, rules]);
    await this.replace(tx, principal, known, findings);
  }

  /** `findings`: all current findings of these rules. */
  async replaceAll(
    tx: Tx,
    principal: Principal,
    { rules, findings }: { rules: RuleId[]; findings: FindingRecord[] },
  ): Promise<void> {
    const known = await tx.run(storedFindingsOfRules, [principal.tenantId, rules]);
    await this.replace(tx, principal, known, findings);
  }

  private async replace(
    tx: Tx,
    { tenantId }: Principal,
    known: StoredFinding[],
    findings: FindingRecord[],
  ): Promise<void> {
    const current = deduplicateFindings(findings);
    const before = new Map(known.map((one) => [findingKey(one), one]));
    const gone = known.filter((one) => !one.isResolved && !current.has(findingKey(one)));
    if (gone.length) await tx.execute(resolveFindings, [tenantId, gone.map(({ id }) => id)]);
    if (!current.size) return;
    const rows = JSON.stringify([...current.values()].map((finding) => ({ ...finding, id: newId() })));
    const written = await tx.run(upsertFindings, [tenantId, rows]);
    const reported = written.filter((one) => before.get(findingKey(one))?.isResolved ?? true);
    await this.outbox.writeAll(
      tx,
      tenantId,
      'estate.finding',
      reported.map(({ key, rule, id: findingId, fileId, serverId }) => ({
        findingId,
        rule,
        severity: current.get(findingKey({ rule, key }))!.severity,
        fileId,
        serverId,
        event: before.has(findingKey({ rule, key })) ? 'came_back' : 'found',
      })),
    );
  }
}

const findingKey = ({ rule, key }: { rule: RuleId; key: string }): string => `${rule} ${key}`;

/** A rule may match the same place twice; the more severe match is used. */
function deduplicateFindings(findings: readonly FindingRecord[]): Map<string, FindingRecord> {
  const found = new Map<string, FindingRecord>();
  for (const finding of findings) {
    const before = found.get(findingKey(finding));
    if (!before || severities.indexOf(finding.severity) < severities.indexOf(before.severity))
      found.set(findingKey(finding), finding);
  }
  return found;
}

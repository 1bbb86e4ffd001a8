import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { newId } from '../../../platform/crypto/ids.js';
import { OutboxService } from '../../../platform/events/outbox.service.js';
import type { Principal } from '../../../principal/principal.js';
import { type RuleId, severities } from '../rule.js';
import {
  upsertFindings,
  type UpsertedFinding,
  storedFindingsInFiles,
  storedFindingsOfRules,
  type StoredFinding,
  resolveFindings,
} from './findings.sql.js';
import type { FindingRecord } from './finding-record.js';

/**
 * What is being found, against what was found before: new ones are told once, those found no more are resolved. To be used by
 * one at a time (`lockEvaluation`).
 */
@Injectable()
export class FindingsRepository {
  constructor(private readonly outbox: OutboxService) {}

  /** All that these rules find in these files now. */
  async replaceInFiles(
    tx: EntityManager,
    principal: Principal,
    { files, rules, findings }: { files: string[]; rules: RuleId[]; findings: FindingRecord[] },
  ): Promise<void> {
    const known = await tx.query<StoredFinding[]>(storedFindingsInFiles, [principal.tenantId, files, rules]);
    await this.replace(tx, principal, known, findings);
  }

  /** All that these rules find anywhere now. */
  async replaceAll(
    tx: EntityManager,
    principal: Principal,
    { rules, findings }: { rules: RuleId[]; findings: FindingRecord[] },
  ): Promise<void> {
    const known = await tx.query<StoredFinding[]>(storedFindingsOfRules, [principal.tenantId, rules]);
    await this.replace(tx, principal, known, findings);
  }

  private async replace(
    tx: EntityManager,
    { tenantId }: Principal,
    known: StoredFinding[],
    findings: FindingRecord[],
  ): Promise<void> {
    const current = deduplicateFindings(findings);
    const before = new Map(known.map((one) => [findingKey(one), one]));
    const gone = known.filter((one) => !one.isResolved && !current.has(findingKey(one)));
    if (gone.length) await tx.query(resolveFindings, [tenantId, gone.map(({ id }) => id)]);
    if (!current.size) return;
    const rows = JSON.stringify([...current.values()].map((finding) => ({ ...finding, id: newId() })));
    const written = await tx.query<UpsertedFinding[]>(upsertFindings, [tenantId, rows]);
    const reported = written.filter((one) => before.get(findingKey(one))?.isResolved ?? true);
    await this.outbox.writeAll(
      tx,
      tenantId,
      'estate.finding',
      reported.map(({ key, rule, id: findingId, fileId, serverId }) => ({
        findingId,
        rule,
        fileId,
        serverId,
        event: before.has(findingKey({ rule, key })) ? 'came_back' : 'found',
      })),
    );
  }
}

const findingKey = ({ rule, key }: { rule: RuleId; key: string }): string => `${rule} ${key}`;

/** A rule may come upon the same place twice; the worse of the two is told. */
function deduplicateFindings(findings: readonly FindingRecord[]): Map<string, FindingRecord> {
  const found = new Map<string, FindingRecord>();
  for (const finding of findings) {
    const before = found.get(findingKey(finding));
    if (!before || severities.indexOf(finding.severity) < severities.indexOf(before.severity))
      found.set(findingKey(finding), finding);
  }
  return found;
}

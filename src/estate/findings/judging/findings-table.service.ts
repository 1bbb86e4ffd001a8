import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { newId } from '../../../platform/crypto/ids.js';
import { Outbox } from '../../../platform/events/outbox.service.js';
import type { Principal } from '../../../principal/principal.js';
import { type RuleId, severities } from '../found.js';
import { keepFindings, type News, resolveInFiles, resolveOfRules } from './findings.sql.js';
import type { Finding } from './subject.js';

/** What is being found, against what was found before: new ones are told once, those found no more are resolved. */
@Injectable()
export class FindingsTable {
  constructor(private readonly outbox: Outbox) {}

  /** All that these rules find in these files now. */
  async replaceInFiles(
    tx: EntityManager,
    principal: Principal,
    { files, rules, findings }: { files: string[]; rules: RuleId[]; findings: Finding[] },
  ): Promise<void> {
    const { ruleOf, keyOf } = columns(findings);
    await tx.query(resolveInFiles, [principal.tenantId, files, rules, ruleOf, keyOf]);
    await this.keep(tx, principal, findings);
  }

  /** All that these rules find anywhere now. */
  async replaceAll(
    tx: EntityManager,
    principal: Principal,
    { rules, findings }: { rules: RuleId[]; findings: Finding[] },
  ): Promise<void> {
    const { ruleOf, keyOf } = columns(findings);
    await tx.query(resolveOfRules, [principal.tenantId, rules, ruleOf, keyOf]);
    await this.keep(tx, principal, findings);
  }

  private async keep(tx: EntityManager, { tenantId }: Principal, findings: Finding[]): Promise<void> {
    if (!findings.length) return;
    const rows = JSON.stringify(once(findings).map((finding) => ({ ...finding, id: newId() })));
    const news = await tx.query<News[]>(keepFindings, [tenantId, rows]);
    await this.outbox.writeAll(
      tx,
      tenantId,
      'estate.finding',
      news.map(({ id, rule, fileId, serverId, cameBack }) => ({
        findingId: id,
        rule,
        fileId,
        serverId,
        event: cameBack ? 'came_back' : 'found',
      })),
    );
  }
}

/** A rule may come upon the same place twice; the worse of the two is told. */
function once(findings: readonly Finding[]): Finding[] {
  const found = new Map<string, Finding>();
  for (const finding of findings) {
    const key = `${finding.rule} ${finding.key}`;
    const before = found.get(key);
    if (!before || severities.indexOf(finding.severity) < severities.indexOf(before.severity)) found.set(key, finding);
  }
  return [...found.values()];
}

const columns = (findings: readonly Finding[]) => ({
  ruleOf: findings.map(({ rule }) => rule),
  keyOf: findings.map(({ key }) => key),
});

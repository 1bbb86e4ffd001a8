import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { newId } from '../../../platform/crypto/ids.js';
import { Outbox } from '../../../platform/events/outbox.service.js';
import type { Principal } from '../../../principal/principal.js';
import { type RuleId, severities } from '../found.js';
import {
  keepFindings,
  type KeptFinding,
  knownInFiles,
  knownOfRules,
  type KnownFinding,
  resolveFindings,
} from './findings.sql.js';
import type { Finding } from './subject.js';

/**
 * What is being found, against what was found before: new ones are told once, those found no more are resolved. To be used by
 * one at a time (`judgeAlone`).
 */
@Injectable()
export class FindingsTable {
  constructor(private readonly outbox: Outbox) {}

  /** All that these rules find in these files now. */
  async replaceInFiles(
    tx: EntityManager,
    principal: Principal,
    { files, rules, findings }: { files: string[]; rules: RuleId[]; findings: Finding[] },
  ): Promise<void> {
    const known = await tx.query<KnownFinding[]>(knownInFiles, [principal.tenantId, files, rules]);
    await this.replace(tx, principal, known, findings);
  }

  /** All that these rules find anywhere now. */
  async replaceAll(
    tx: EntityManager,
    principal: Principal,
    { rules, findings }: { rules: RuleId[]; findings: Finding[] },
  ): Promise<void> {
    const known = await tx.query<KnownFinding[]>(knownOfRules, [principal.tenantId, rules]);
    await this.replace(tx, principal, known, findings);
  }

  private async replace(
    tx: EntityManager,
    { tenantId }: Principal,
    known: KnownFinding[],
    findings: Finding[],
  ): Promise<void> {
    const found = once(findings);
    const before = new Map(known.map((one) => [sameAs(one), one]));
    const gone = known.filter((one) => !one.isResolved && !found.has(sameAs(one)));
    if (gone.length) await tx.query(resolveFindings, [tenantId, gone.map(({ id }) => id)]);
    if (!found.size) return;
    const rows = JSON.stringify([...found.values()].map((finding) => ({ ...finding, id: newId() })));
    const kept = await tx.query<KeptFinding[]>(keepFindings, [tenantId, rows]);
    const news = kept.filter((one) => before.get(sameAs(one))?.isResolved ?? true);
    await this.outbox.writeAll(
      tx,
      tenantId,
      'estate.finding',
      news.map(({ key, rule, id: findingId, fileId, serverId }) => ({
        findingId,
        rule,
        fileId,
        serverId,
        event: before.has(sameAs({ rule, key })) ? 'came_back' : 'found',
      })),
    );
  }
}

const sameAs = ({ rule, key }: { rule: RuleId; key: string }): string => `${rule} ${key}`;

/** A rule may come upon the same place twice; the worse of the two is told. */
function once(findings: readonly Finding[]): Map<string, Finding> {
  const found = new Map<string, Finding>();
  for (const finding of findings) {
    const before = found.get(sameAs(finding));
    if (!before || severities.indexOf(finding.severity) < severities.indexOf(before.severity))
      found.set(sameAs(finding), finding);
  }
  return found;
}

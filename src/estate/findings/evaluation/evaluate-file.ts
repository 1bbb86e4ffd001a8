import { sha256 } from '../../../platform/crypto/digest.js';
import type { JsonObject } from '../../../platform/json/strict-json.js';
import type { ConfigurationFile, ServerEntry } from '../../configuration-file.js';
import type { ApprovedList } from '../approved/approved-list.js';
import type { RuleMatch, FindingRule } from '../rule.js';
import { entryRules, fileRules } from '../rules.js';
import { definitionChangedMatch, definitionChangedRule } from '../rules/definition-changed.js';
import type { FindingRecord, FindingSubject } from './finding-record.js';

/** An entry, with how it read when it last was on the approved list. */
export interface EvaluatedEntry extends ServerEntry {
  id: string;
  serverId: string;
  approvedHash: string | null;
  approvedDefinition: JsonObject | null;
  approvedAt: string | null;
}

export interface EvaluatedFile extends ConfigurationFile {
  id: string;
  connectionId: string | null;
  version: number;
  isGone: boolean;
  entries: EvaluatedEntry[];
}

/** What is to be remembered of entries: that they are approved as they are, or that they never mind any more. */
export interface ApprovalMemory {
  approved: EvaluatedEntry[];
  forgotten: EvaluatedEntry[];
}

/** Of one rule in one entry; whoever mends these sees the others then. */
const maxMatchesPerRule = 100;

/** Everything that can be said of a file by itself. */
export function evaluateFile(
  file: EvaluatedFile,
  list: ApprovedList,
): { findings: FindingRecord[]; memory: ApprovalMemory } {
  const memory: ApprovalMemory = { approved: [], forgotten: [] };
  if (file.isGone) return { findings: [], memory };
  const ofFile = { fileId: file.id, entryId: null, serverId: null, connectionId: file.connectionId };
  const findings = fileRules.flatMap((rule) =>
    rule.checkFile(file).map((found) => toFindingRecord(rule, ofFile, file.id, found)),
  );
  for (const entry of file.entries) {
    const subject = { ...ofFile, entryId: entry.id, serverId: entry.serverId };
    for (const rule of entryRules)
      for (const found of rule.check(entry, file).slice(0, maxMatchesPerRule))
        findings.push(toFindingRecord(rule, subject, entry.id, found));
    const found = approvalMatch(entry, list, memory);
    if (found) findings.push(toFindingRecord(definitionChangedRule, subject, entry.id, found));
  }
  return { findings, memory };
}

function approvalMatch(entry: EvaluatedEntry, list: ApprovedList, memory: ApprovalMemory): RuleMatch | null {
  const { name, definitionHash: hash, definition, approvedHash, approvedDefinition, approvedAt } = entry;
  if (list.allows(entry)) {
    if (approvedHash !== hash) memory.approved.push(entry);
    return null;
  }
  if (approvedHash === null) return null;
  if (approvedHash !== hash)
    return definitionChangedMatch({
      name,
      approvedHash,
      approvedAt: new Date(approvedAt!),
      approved: approvedDefinition!,
      hash,
      definition,
    });
  // it is as it was approved, and that was taken back: there is nothing any more that it could differ from
  memory.forgotten.push(entry);
  return null;
}

const maxFindingKeyLength = 300;

export function toFindingRecord(
  rule: FindingRule,
  subject: FindingSubject,
  of: string,
  { at, ...found }: RuleMatch,
): FindingRecord {
  const whole = at === undefined ? of : `${of} ${at}`;
  const key = whole.length > maxFindingKeyLength ? `${of} ${sha256(at!).toString('hex')}` : whole;
  return { ...found, ...subject, rule: rule.id, key };
}

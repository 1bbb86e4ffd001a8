import { sha256 } from '../../../platform/crypto/digest.js';
import type { JsonObject } from '../../../platform/json/strict-json.js';
import type { ConfigurationFile, ServerEntry } from '../../configuration-file.js';
import type { ApprovedList } from '../approved/approved-list.js';
import type { RuleMatch, FindingRule } from '../rule.js';
import { definitionChangedMatch, definitionChangedRule } from '../rules/definition-changed.js';
import type { FindingRecord, FindingSubject } from './finding-record.js';
import { matchEntry, matchFile } from './match-rules.js';

/** An entry, with its definition when it was last approved. */
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

/** Changes to the approval memory: entries to remember as approved, and entries to forget. */
export interface ApprovalMemory {
  approved: EvaluatedEntry[];
  forgotten: EvaluatedEntry[];
}

/** Applies all rules that need only one file. */
export function evaluateFile(
  file: EvaluatedFile,
  list: ApprovedList,
): { findings: FindingRecord[]; memory: ApprovalMemory } {
  const memory: ApprovalMemory = { approved: [], forgotten: [] };
  if (file.isGone) return { findings: [], memory };
  const ofFile = { fileId: file.id, entryId: null, serverId: null, connectionId: file.connectionId };
  const findings = matchFile(file).map(({ rule, match }) => toFindingRecord(rule, ofFile, file.id, match));
  for (const entry of file.entries) {
    const subject = { ...ofFile, entryId: entry.id, serverId: entry.serverId };
    for (const { rule, match } of matchEntry(entry, file))
      findings.push(toFindingRecord(rule, subject, entry.id, match));
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
  // the approval of this definition was revoked, so there is no approved version to compare with
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

import { sha256 } from '../../../platform/crypto/digest.js';
import type { JsonObject } from '../../../platform/json/strict-json.js';
import type { ConfigurationFile, Entry } from '../../parsed.js';
import type { ApprovedList } from '../approved/approved-list.js';
import type { Found, Rule } from '../found.js';
import { entryRules, fileRules } from '../rules.js';
import { changed, definitionChanged } from '../rules/definition-changed.js';
import type { Finding, Subject } from './subject.js';

/** An entry, with how it read when it last was on the approved list. */
export interface JudgedEntry extends Entry {
  id: string;
  serverId: string;
  approvedHash: string | null;
  approvedDefinition: JsonObject | null;
  approvedAt: string | null;
}

export interface JudgedFile extends ConfigurationFile {
  id: string;
  connectionId: string | null;
  version: number;
  isGone: boolean;
  entries: JudgedEntry[];
}

/** What is to be remembered of entries: that they are approved as they are, or that they never mind any more. */
export interface Memory {
  approved: JudgedEntry[];
  forgotten: JudgedEntry[];
}

/** Of one rule in one entry; whoever mends these sees the others then. */
const mostOfRule = 100;

/** Everything that can be said of a file by itself. */
export function judgeFile(file: JudgedFile, list: ApprovedList): { findings: Finding[]; memory: Memory } {
  const memory: Memory = { approved: [], forgotten: [] };
  if (file.isGone) return { findings: [], memory };
  const ofFile = { fileId: file.id, entryId: null, serverId: null, connectionId: file.connectionId };
  const findings = fileRules.flatMap((rule) =>
    rule.checkFile(file).map((found) => finding(rule, ofFile, file.id, found)),
  );
  for (const entry of file.entries) {
    const subject = { ...ofFile, entryId: entry.id, serverId: entry.serverId };
    for (const rule of entryRules)
      for (const found of rule.check(entry, file).slice(0, mostOfRule))
        findings.push(finding(rule, subject, entry.id, found));
    const found = sinceApproval(entry, list, memory);
    if (found) findings.push(finding(definitionChanged, subject, entry.id, found));
  }
  return { findings, memory };
}

function sinceApproval(entry: JudgedEntry, list: ApprovedList, memory: Memory): Found | null {
  const { name, definitionHash: hash, definition, approvedHash, approvedDefinition, approvedAt } = entry;
  if (list.allows(entry)) {
    if (approvedHash !== hash) memory.approved.push(entry);
    return null;
  }
  if (approvedHash === null) return null;
  if (approvedHash !== hash)
    return changed({
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

const longestKey = 300;

export function finding(rule: Rule, subject: Subject, of: string, { at, ...found }: Found): Finding {
  const whole = at === undefined ? of : `${of} ${at}`;
  const key = whole.length > longestKey ? `${of} ${sha256(at!).toString('hex')}` : whole;
  return { ...found, ...subject, rule: rule.id, key };
}

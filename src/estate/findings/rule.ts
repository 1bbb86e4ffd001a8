import type { JsonObject } from '../../platform/json/strict-json.js';
import type { ConfigurationFile, ServerEntry } from '../configuration-file.js';

export const severities = ['critical', 'high', 'medium', 'low', 'info'] as const;
export type Severity = (typeof severities)[number];

export const ruleIds = [
  'plaintext_secret',
  'vulnerable_package',
  'unpinned_package',
  'plain_http',
  'shell_wrapper',
  'broad_file_root',
  'hidden_unicode',
  'odd_case_path',
  'ambiguous_definition',
  'not_approved',
  'definition_changed',
  'shadowed_server',
  'outdated_client',
  'used_undeclared',
  'declared_unused',
] as const;
export type RuleId = (typeof ruleIds)[number];

/** A match of a rule. It never contains the value of a secret, because rules see only redacted text. */
export interface RuleMatch {
  /** The place in its subject if a rule can match more than once, usually a JSON pointer. Part of the finding's key. */
  at?: string;
  severity: Severity;
  /** One or two sentences: what was found, and why it is an issue. */
  reason: string;
  evidence: JsonObject;
  /** One sentence that a developer can follow. */
  fix: string;
}

export interface FindingRule {
  id: RuleId;
  title: string;
  /** Why it matters. */
  why: string;
}

/** Checks one entry of one file. */
export interface EntryRule extends FindingRule {
  check(entry: ServerEntry, file: ConfigurationFile): RuleMatch[];
}

/** Checks a file as a whole, including instructions. */
export interface FileRule extends FindingRule {
  checkFile(file: ConfigurationFile): RuleMatch[];
}

/** The most severe of several. */
export const worstSeverity = (of: readonly Severity[]): Severity =>
  severities.find((severity) => of.includes(severity)) ?? 'info';

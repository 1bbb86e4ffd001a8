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

/** What a rule has to say. Nothing of it may hold a secret's value: rules see redacted text only. */
export interface RuleMatch {
  /** Where in its subject, if it can be there more than once: a JSON pointer, as a rule. Part of what makes it the same finding. */
  at?: string;
  severity: Severity;
  /** One or two sentences: what there is, and what is wrong with it. */
  reason: string;
  evidence: JsonObject;
  /** One sentence that a developer can follow. */
  fix: string;
}

export interface FindingRule {
  id: RuleId;
  title: string;
  /** Why anybody should care. */
  why: string;
}

/** Looks at one entry of one file, and at nothing else. */
export interface EntryRule extends FindingRule {
  check(entry: ServerEntry, file: ConfigurationFile): RuleMatch[];
}

/** Looks at a file as such, instructions included. */
export interface FileRule extends FindingRule {
  checkFile(file: ConfigurationFile): RuleMatch[];
}

/** The worst of some. */
export const worstSeverity = (of: readonly Severity[]): Severity =>
  severities.find((severity) => of.includes(severity)) ?? 'info';

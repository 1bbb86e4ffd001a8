import type { ConfigurationFile, ServerEntry } from '../../configuration-file.js';
import type { FindingRule, RuleMatch } from '../rule.js';
import { entryRules, fileRules } from '../rules.js';

export interface MatchedRule {
  rule: FindingRule;
  match: RuleMatch;
}

/** Per rule and entry. Further matches appear once these are fixed. */
const maxMatchesPerRule = 100;

/** What the rules find in a file outside of its entries. */
export const matchFile = (file: ConfigurationFile): MatchedRule[] =>
  fileRules.flatMap((rule) => rule.checkFile(file).map((match) => ({ rule, match })));

/** What the rules find in one entry. */
export const matchEntry = (entry: ServerEntry, file: ConfigurationFile): MatchedRule[] =>
  entryRules.flatMap((rule) =>
    rule
      .check(entry, file)
      .slice(0, maxMatchesPerRule)
      .map((match) => ({ rule, match })),
  );

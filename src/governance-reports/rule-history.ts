import type { ListedPolicyRule } from '../policies/policy-rules.port.js';

interface RevisionRules {
  revision: number;
  publishedAt: Date;
  rules: readonly ListedPolicyRule[];
}

interface RuleHistory {
  rule: ListedPolicyRule;
  /** The first of the revisions that have the rule under this name without a change up to the newest one. */
  firstRevision: number;
  since: Date;
}

/** The rules of the newest revision, with the time since which each is unchanged. `revisions`: newest first. */
export function ruleHistories(revisions: readonly RevisionRules[]): RuleHistory[] {
  const [current, ...older] = revisions;
  if (!current) return [];
  const texts = older.map(({ rules }) => new Map(rules.map(({ id, text }) => [id, text])));
  return current.rules.map((rule) => {
    const changed = texts.findIndex((known) => known.get(rule.id) !== rule.text);
    const { revision: firstRevision, publishedAt: since } = revisions[changed < 0 ? older.length : changed];
    return { rule, firstRevision, since };
  });
}

import { type PolicyTextCheck, checkPolicyText, type Vocabulary } from './check.js';
import { parsePolicies } from './policy.js';
import { type StatementWithRule, listStatements } from './read-rule.js';

/** Without a vocabulary, reads only the ids of members from the text. */
export interface PolicyTextInput {
  text: string;
  vocabulary?: Vocabulary;
}
export interface PolicyTextReport extends PolicyTextCheck {
  statements: StatementWithRule[];
  /** Ids of members that the text mentions. */
  members: string[];
}

export function run({ text, vocabulary }: PolicyTextInput): PolicyTextReport {
  if (vocabulary) return { ...checkPolicyText(text, vocabulary), statements: listStatements(text), members: [] };
  const entities = parsePolicies(text).policies.flatMap((policy) => policy.entities);
  const members = entities.filter(({ type }) => type === 'Member').map(({ id }) => id);
  return { errors: [], warnings: [], statements: [], members: [...new Set(members)] };
}

import { type Check, check, type Vocabulary } from './check.js';
import { readPolicies } from './policy.js';
import { type ReadStatement, readStatements } from './read-rule.js';

/** Without a vocabulary, only the ids of members are read from the text. */
export interface TextToCheck {
  text: string;
  vocabulary?: Vocabulary;
}
export interface CheckedText extends Check {
  statements: ReadStatement[];
  /** Ids of members in the text. */
  members: string[];
}

export function run({ text, vocabulary }: TextToCheck): CheckedText {
  if (vocabulary) return { ...check(text, vocabulary), statements: readStatements(text), members: [] };
  const entities = readPolicies(text).policies.flatMap((policy) => policy.entities);
  const members = entities.filter(({ type }) => type === 'Member').map(({ id }) => id);
  return { errors: [], warnings: [], statements: [], members: [...new Set(members)] };
}

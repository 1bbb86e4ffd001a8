import { annotationValue, type PolicyTextStatement, splitStatements } from './policy-text.js';

/** A policy of a published text, as reports list it. */
export interface ListedPolicyRule {
  /** The `@id`, or "policy 3" for the third one. */
  id: string;
  effect: 'permit' | 'forbid';
  /** The approval step that it requires. */
  step: string | null;
  text: string;
}

/** The policies of a text that was published, in their order. Does not use Cedar, and takes linear time. */
export const listPolicyRules = (publishedText: string): ListedPolicyRule[] =>
  splitStatements(publishedText).map((statement, index) => ({
    id: annotationValue(statement, 'id') || `policy ${index + 1}`,
    effect: isForbid(statement) ? 'forbid' : 'permit',
    step: annotationValue(statement, 'approval'),
    text: statement.text,
  }));

/** Annotations precede the effect, and their values are strings. */
const isForbid = ({ tokens }: PolicyTextStatement): boolean =>
  tokens.find(
    ({ kind, text }, index) =>
      kind === 'name' && tokens[index - 1]?.text !== '@' && (text === 'permit' || text === 'forbid'),
  )?.text === 'forbid';

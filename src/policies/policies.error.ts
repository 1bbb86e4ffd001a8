import type { PolicyTextFinding } from './check.js';
import { defineProblem } from '../platform/errors/problem.js';

export const policyInvalid = defineProblem({
  code: 'policy-invalid',
  status: 400,
  title: 'Policies have errors',
  explain: 'The policies were not published. "findings" lists each error with line and column.',
});
export const policyChanged = defineProblem({
  code: 'policy-changed',
  status: 409,
  title: 'Policies published in the meantime',
  explain:
    'Someone else published another revision after you loaded this one. Load it, apply your change, and publish again.',
});
export const policyUnchanged = defineProblem({
  code: 'policy-unchanged',
  status: 409,
  title: 'Policies are already published',
  explain:
    'The text equals the published revision, so there is no new revision that could have the note. Change the text, or publish without a note.',
});
export const policyDraftChanged = defineProblem({
  code: 'policy-draft-changed',
  status: 409,
  title: 'Draft saved in the meantime',
  explain:
    'Someone else saved a draft after you loaded yours. Load it, apply your change and save again, or save without "replaces" to overwrite it.',
});
export const policyComparisonTooExpensive = defineProblem({
  code: 'policy-comparison-too-expensive',
  status: 422,
  title: 'Policies cannot be compared',
  explain:
    'Comparing the policies takes too much time or memory. You can still publish the text. Fewer or simpler policies can be compared.',
});

/** Names the first finding; `errors` and `findings` contain all of them. */
export function policyTextRefused(findings: PolicyTextFinding[]) {
  const [{ message, line, column }] = findings;
  const more = findings.length > 1 ? `, and ${findings.length - 1} more` : '';
  const errors = findings.map((finding) => ({
    pointer: '/text',
    detail: `line ${finding.line}, column ${finding.column}: ${finding.message}`,
  }));
  return policyInvalid(`Line ${line}, column ${column}: ${message}${more}`, { errors, extra: { findings } });
}

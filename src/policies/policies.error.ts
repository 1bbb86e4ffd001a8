import { defineProblem } from '../platform/errors/problem.js';

export const policyInvalid = defineProblem({
  code: 'policy-invalid',
  status: 400,
  title: 'The policies have errors',
  explain:
    'The text was not published, because it has errors. "findings" contains each error with its line and column. Correct them and publish again.',
});
export const policyChanged = defineProblem({
  code: 'policy-changed',
  status: 409,
  title: 'A newer revision was published',
  explain:
    'Someone published another revision after you loaded this one. Load the current revision, apply your change to it, and try again.',
});
export const policyDraftChanged = defineProblem({
  code: 'policy-draft-changed',
  status: 409,
  title: 'Another draft was saved',
  explain:
    'Someone saved another draft after you loaded this one. Load it, apply your change to it, and save again; or save without "replaces" to overwrite it.',
});

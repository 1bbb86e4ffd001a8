import { defineProblem } from '../platform/errors/problem.js';

export const policyInvalid = defineProblem({
  code: 'policy-invalid',
  status: 400,
  title: 'The policies have errors',
  explain:
    'The text was not published: a policy that can never apply as it is meant is worse than none. "findings" names each error with line and column.',
});
export const policyChanged = defineProblem({
  code: 'policy-changed',
  status: 409,
  title: 'The policies were published in the meantime',
  explain:
    'Somebody else published another revision after you read this one. Read it, carry your change over, and publish again.',
});
export const policyDraftChanged = defineProblem({
  code: 'policy-draft-changed',
  status: 409,
  title: 'Somebody else has saved a draft in the meantime',
  explain:
    'The draft is not the one that this text goes on from. Read it, carry your change over, and save again; or save without "replaces" to write over it.',
});

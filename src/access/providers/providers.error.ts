import { defineProblem } from '../../platform/errors/problem.js';

export const providerUnusable = defineProblem({
  code: 'sign-in-provider-unusable',
  status: 502,
  title: 'The sign-in provider did not answer as it should',
  explain:
    'The provider could not be reached, or what it sent does not hold: a wrong signature, issuer, audience, time or nonce. Try again; if it stays, sign in another way and tell an administrator, who finds the reason in the audit log.',
});
export const providerRefused = defineProblem({
  code: 'sign-in-provider-refused',
  status: 403,
  title: 'The sign-in provider let nobody in',
  explain: 'The provider was asked and said no, or the person stopped there. Start again, or sign in another way.',
});
export const signInNotBegun = defineProblem({
  code: 'sign-in-not-begun',
  status: 400,
  title: 'This sign-in did not begin here',
  explain:
    'It took longer than ten minutes, was finished before, or began in another browser. Start again from the sign-in page. Nothing was changed.',
});
export const identityNotLinked = defineProblem({
  code: 'identity-not-linked',
  status: 403,
  title: 'This identity is not linked to the account',
  explain:
    'An account with this email address exists, but the address alone does not prove that it is yours. Sign in as before, then link the provider under "Sign-in methods" in your account.',
});
export const identityNotAccepted = defineProblem({
  code: 'identity-not-accepted',
  status: 403,
  title: 'This identity is not accepted here',
  explain:
    'The organization takes verified e-mail addresses of its own domains only, and not everybody who has one becomes a member by signing in. An administrator can invite you.',
});
export const identityTaken = defineProblem({
  code: 'identity-taken',
  status: 409,
  title: 'Linked to an account already',
  explain: 'An identity belongs to one account of an organization. Unlink it there first.',
});

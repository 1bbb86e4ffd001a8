import { defineProblem } from '../../platform/errors/problem.js';

export const providerUnusable = defineProblem({
  code: 'sign-in-provider-unusable',
  status: 502,
  title: 'Sign-in provider error',
  explain:
    'The provider could not be reached, or its response was invalid: wrong signature, issuer, audience, time or nonce. Try again. If the problem persists, use another sign-in method and tell an administrator, who finds the reason in the audit log.',
});
export const providerRefused = defineProblem({
  code: 'sign-in-provider-refused',
  status: 403,
  title: 'Sign-in denied by the provider',
  explain: 'The provider denied the sign-in, or it was canceled there. Start again, or use another sign-in method.',
});
export const signInNotBegun = defineProblem({
  code: 'sign-in-not-begun',
  status: 400,
  title: 'Sign-in expired',
  explain:
    'The sign-in took longer than ten minutes, was already completed, or started in another browser. Start again from the sign-in page. Nothing was changed.',
});
export const identityNotLinked = defineProblem({
  code: 'identity-not-linked',
  status: 403,
  title: 'Identity not linked to the account',
  explain:
    'An account with this email address exists, but the address alone does not prove that it is yours. Sign in as before, then link the provider under "Sign-in methods" in your account.',
});
export const identityNotAccepted = defineProblem({
  code: 'identity-not-accepted',
  status: 403,
  title: 'Identity not accepted',
  explain:
    'The organization accepts only verified email addresses of its own domains, and may require an invitation. Ask an administrator to invite you.',
});
export const identityTaken = defineProblem({
  code: 'identity-taken',
  status: 409,
  title: 'Identity already linked',
  explain: 'An identity can be linked to only one account of an organization. Unlink it from the other account first.',
});

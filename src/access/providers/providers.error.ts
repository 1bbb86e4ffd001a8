import { defineProblem } from '../../platform/errors/problem.js';

export const providerUnusable = defineProblem({
  code: 'sign-in-provider-unusable',
  status: 502,
  title: 'Sign-in provider not usable',
  explain:
    'The provider could not be reached, or its response is not valid (signature, issuer, audience, time or nonce). Try again. If the problem persists, use another sign-in method and notify an administrator, who can find the reason in the audit log.',
});
export const providerRefused = defineProblem({
  code: 'sign-in-provider-refused',
  status: 403,
  title: 'Sign-in provider denied access',
  explain:
    'The provider denied the request, or the sign-in was canceled there. Start again, or use another sign-in method.',
});
export const signInNotBegun = defineProblem({
  code: 'sign-in-not-begun',
  status: 400,
  title: 'Sign-in not started here',
  explain:
    'The sign-in took longer than ten minutes, was already completed, or was started in another browser. Nothing was changed. Start again from the sign-in page.',
});
export const identityNotLinked = defineProblem({
  code: 'identity-not-linked',
  status: 403,
  title: 'Identity not linked',
  explain:
    'An account with this email address exists, but an address alone does not give access. Sign in with your usual method, and link the provider on the page "Sign-in methods" of your account.',
});
export const identityNotAccepted = defineProblem({
  code: 'identity-not-accepted',
  status: 403,
  title: 'Identity not accepted',
  explain:
    'The organization accepts only verified email addresses of its own domains, and may not create members at their first sign-in. Ask an administrator to invite you.',
});
export const identityTaken = defineProblem({
  code: 'identity-taken',
  status: 409,
  title: 'Identity already linked',
  explain: 'An identity can be linked to only one account of an organization. Unlink it there first.',
});

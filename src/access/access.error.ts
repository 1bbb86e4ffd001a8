import { defineProblem } from '../platform/errors/problem.js';

export const signInRefused = defineProblem({
  code: 'sign-in-refused',
  status: 401,
  title: 'Sign-in failed',
  explain:
    'The organization, email address or password is incorrect, or the account is not active. For security, the response does not say which. An administrator can create a link to set a new password.',
});
export const linkUnusable = defineProblem({
  code: 'link-unusable',
  status: 410,
  title: 'Link no longer valid',
  explain:
    'Links work once, for 24 hours. This link was used, withdrawn, expired or not copied completely. Ask the person who sent it for a new one.',
});
export const alreadySetUp = defineProblem({
  code: 'already-set-up',
  status: 409,
  title: 'Already set up',
  explain: 'The first organization exists. Sign in, or ask one of its administrators for an invitation.',
});
export const reauthenticationRequired = defineProblem({
  code: 'reauthentication-required',
  status: 403,
  title: "Confirm it's you",
  explain:
    'This action requires a recent confirmation of your identity: on the page /confirm (with your password, a passkey or your sign-in provider), or with the mutation "confirmPassword". It is valid for ten minutes.',
});
export const lastAdmin = defineProblem({
  code: 'last-admin',
  status: 409,
  title: 'Last administrator',
  explain: 'An organization needs at least one active administrator. Make another member an administrator first.',
});
export const memberExists = defineProblem({
  code: 'member-exists',
  status: 409,
  title: 'Already a member',
  explain:
    'A member with this email address exists and may be suspended. Reactivate that member, or create a password reset link.',
});
export const nameTaken = defineProblem({
  code: 'name-taken',
  status: 409,
  title: 'Name already in use',
  explain: 'Another item of this type has this name. Choose a different name.',
});
export const vouchHasNoEffect = defineProblem({
  code: 'vouch-has-no-effect',
  status: 409,
  title: 'Vouch has no effect',
  explain:
    'A vouch states that only the member can sign in to their account. It counts only from a member who did not invite them, reset their password or configure their sign-in provider, and who was not introduced by the same person alone. Ask another member, or the operator of the server: "countersign admin vouch <email>".',
});
export const confirmationNotIndependent = defineProblem({
  code: 'confirmation-not-independent',
  status: 409,
  title: 'Independent confirmation required',
  explain:
    'This setting requires two independent administrators: neither introduced the other, and no single person introduced both. If there is no such administrator, the operator of the server can vouch for one: "countersign admin vouch <email>".',
});
export const tenantPaused = defineProblem({
  code: 'tenant-paused',
  status: 403,
  title: 'Organization paused',
  explain:
    'An administrator has paused all agents and products of this organization. They resume when an administrator resumes the organization.',
});
export const lastSignInMethod = defineProblem({
  code: 'last-way-in',
  status: 409,
  title: 'Last sign-in method',
  explain:
    'Without another sign-in method, the account would be locked. Add one first: a passkey, a sign-in provider, or a password through a link from an administrator.',
});
export const passkeyRefused = defineProblem({
  code: 'passkey-refused',
  status: 401,
  title: 'Passkey not accepted',
  explain:
    'The passkey is unknown, its response was for another page, expired or already used, or the account is not active. Start again from the sign-in page, or use another sign-in method.',
});
export const passkeysUnavailable = defineProblem({
  code: 'passkeys-unavailable',
  status: 409,
  title: 'Passkeys not available',
  explain:
    'Browsers store passkeys only for host names over https, or for localhost. The operator must set BASE_URL accordingly.',
});

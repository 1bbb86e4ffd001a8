import { defineProblem } from '../platform/errors/problem.js';

export const signInRefused = defineProblem({
  code: 'sign-in-refused',
  status: 401,
  title: 'Sign-in failed',
  explain:
    'The organization, email address or password is wrong, or the account is not active. To protect accounts, the response does not say which. An administrator can create a link to set a new password.',
});
export const wrongPassword = defineProblem({
  code: 'wrong-password',
  status: 403,
  title: 'Wrong password',
  explain:
    'The password is not the current password of your account. Check it and try again. After five wrong passwords from one network, no attempts are accepted for up to 15 minutes. If you forgot your password, ask an administrator for a link to set a new one.',
});
export const linkUnusable = defineProblem({
  code: 'link-unusable',
  status: 410,
  title: 'Link no longer valid',
  explain:
    'A link works once, within 24 hours. This one was used, was revoked, has expired, or was not copied completely. Ask the person who gave it to you for a new one.',
});
export const alreadySetUp = defineProblem({
  code: 'already-set-up',
  status: 409,
  title: 'Already set up',
  explain: 'The first organization already exists. Sign in, or ask one of its administrators for an invitation.',
});
export const reauthenticationRequired = defineProblem({
  code: 'reauthentication-required',
  status: 403,
  title: 'Confirm your identity',
  explain:
    'This action is sensitive, so you must confirm your identity first: on the page /confirm (with your password, a passkey or your sign-in provider), or with the mutation "confirmPassword". A confirmation is valid for ten minutes.',
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
    'This email address belongs to a member, who may be suspended. Reactivate that member, or create a link to reset the password.',
});
export const nameTaken = defineProblem({
  code: 'name-taken',
  status: 409,
  title: 'Name already in use',
  explain: 'Another object of this type has this name. Choose a different name.',
});
export const vouchHasNoEffect = defineProblem({
  code: 'vouch-has-no-effect',
  status: 409,
  title: 'Vouch has no effect',
  explain:
    'A vouch states that only the member can sign in to their account. It counts only from a person who did not invite the member, reset their password or configure their sign-in provider, and who was not introduced solely by the same person. Ask another member, or the operator of the server: "countersign-operator admin vouch <email>".',
});
export const confirmationNotIndependent = defineProblem({
  code: 'confirmation-not-independent',
  status: 409,
  title: 'Another administrator must confirm',
  explain:
    'This change needs two administrators who cannot be the same person: neither introduced the other, and no single person introduced both. If there is no such administrator, the operator of the server can vouch for one: "countersign-operator admin vouch <email>".',
});
export const tenantPaused = defineProblem({
  code: 'tenant-paused',
  status: 403,
  title: 'Organization paused',
  explain:
    'An administrator paused the organization. Agents, products and machines cannot act for it until an administrator resumes it.',
});
export const lastSignInMethod = defineProblem({
  code: 'last-way-in',
  status: 409,
  title: 'Last sign-in method',
  explain:
    'Without a sign-in method you could no longer use your account. Add another one first: a passkey, a sign-in provider, or a password (an administrator can create a link to set one).',
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
  title: 'Passkeys are not available',
  explain:
    'Browsers accept passkeys only for a host name over https (or for localhost), not for an IP address. The operator of the server must set BASE_URL to such an address.',
});

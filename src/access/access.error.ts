import { defineProblem } from '../platform/errors/problem.js';

export const signInRefused = defineProblem({
  code: 'sign-in-refused',
  status: 401,
  title: 'Not signed in',
  explain:
    'The organization, the e-mail address or the password is not right, or the account is not active. Which of them it is, is not said. An administrator can make a link to set a new password.',
});
export const linkUnusable = defineProblem({
  code: 'link-unusable',
  status: 410,
  title: 'This link cannot be used',
  explain:
    'Links work once and for 24 hours. This one was used, withdrawn, is too old, or was not copied whole. Ask whoever gave it to you for a new one.',
});
export const alreadySetUp = defineProblem({
  code: 'already-set-up',
  status: 409,
  title: 'Already set up',
  explain: 'The first organization exists. Its administrators invite everybody else; sign in instead.',
});
export const reauthenticationRequired = defineProblem({
  code: 'reauthentication-required',
  status: 403,
  title: 'Prove again that it is you',
  explain:
    'Before something this sensitive is shown or changed, prove again who you are: on the page /confirm (with your password, a passkey or your sign-in provider), or by the mutation "confirmPassword". It counts for ten minutes.',
});
export const lastAdmin = defineProblem({
  code: 'last-admin',
  status: 409,
  title: 'The last administrator stays',
  explain:
    'An organization without an active administrator could never be administered again. Make somebody else an administrator first.',
});
export const memberExists = defineProblem({
  code: 'member-exists',
  status: 409,
  title: 'Already a member',
  explain:
    'This e-mail address belongs to a member, who may be suspended. Reactivate that member, or make a link to reset the password.',
});
export const nameTaken = defineProblem({
  code: 'name-taken',
  status: 409,
  title: 'The name is taken',
  explain: 'Something else of this kind has this name. Choose another one.',
});
export const vouchHasNoEffect = defineProblem({
  code: 'vouch-has-no-effect',
  status: 409,
  title: 'This vouch would have no effect',
  explain:
    'A vouch states that a member alone can sign in to their account. It counts only from somebody who did not invite the member, reset their password or configure their sign-in provider, and who was not introduced by the same person alone. Ask another member, or the operator of the server: "countersign admin vouch <e-mail>".',
});
export const confirmationNotIndependent = defineProblem({
  code: 'confirmation-not-independent',
  status: 409,
  title: 'Another administrator has to confirm',
  explain:
    'This setting needs two administrators who cannot be one person: neither introduced the other, and no single person introduced both. If there is no such administrator, the operator of the server vouches for one: "countersign admin vouch <e-mail>".',
});
export const tenantPaused = defineProblem({
  code: 'tenant-paused',
  status: 403,
  title: 'The organization is paused',
  explain:
    'An administrator has stopped everything that machines do for this organization. It goes on when an administrator resumes it.',
});
export const lastSignInMethod = defineProblem({
  code: 'last-way-in',
  status: 409,
  title: 'The last way in stays',
  explain:
    'An account that nobody can sign in to would be lost. Add another way first: a passkey, a sign-in provider, or a password by a link from an administrator.',
});
export const passkeyRefused = defineProblem({
  code: 'passkey-refused',
  status: 401,
  title: 'The passkey was not accepted',
  explain:
    'It is not known here, its answer was not meant for this page, came too late or came twice, or the account is not active. Start again from the sign-in page, or sign in another way.',
});
export const passkeysUnavailable = defineProblem({
  code: 'passkeys-unavailable',
  status: 409,
  title: 'Passkeys need a name for this server',
  explain:
    'Browsers keep passkeys for a host name and over https (or for localhost), not for a number. The operator sets BASE_URL.',
});

import { defineProblem } from '../../platform/errors/problem.js';

export const accountNotBegun = defineProblem({
  code: 'account-not-begun',
  status: 400,
  title: 'This did not begin here',
  explain:
    'It took longer than ten minutes, was finished before, or began in another session. Start again from the page of the integration. Nothing was changed.',
});
export const accountDeclined = defineProblem({
  code: 'account-declined',
  status: 403,
  title: 'Your account was not connected',
  explain: 'The other side was asked and said no, or you stopped there. You can start again at any time.',
});
export const accountUnusable = defineProblem({
  code: 'account-server-unusable',
  status: 502,
  title: 'The other side did not answer as it should',
  explain:
    'The server or its authorization server could not be reached, or what it sent does not hold: another issuer, another resource, no PKCE, no way to register. Try again; if it stays, tell an administrator what is said here.',
});
export const authorizationServerUnconfirmed = defineProblem({
  code: 'authorization-server-unconfirmed',
  status: 409,
  title: 'The sign-in server is not confirmed',
  explain:
    'The server of an integration names the page where people sign in. An administrator confirms it when the integration is set up, and again when it changes; until then nobody is sent there. Accounts that are connected keep working. Ask an administrator to connect an account on the page of the integration and to confirm the server there.',
});

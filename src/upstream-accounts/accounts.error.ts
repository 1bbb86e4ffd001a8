import { defineProblem } from '../platform/errors/problem.js';

export const accountNotBegun = defineProblem({
  code: 'account-not-begun',
  status: 400,
  title: 'No sign-in in progress',
  explain:
    'The sign-in took longer than ten minutes, was already completed, or started in another session. Nothing was changed. Start again from the integration’s page.',
});
export const accountDeclined = defineProblem({
  code: 'account-declined',
  status: 403,
  title: 'Your account was not connected',
  explain: 'The authorization server denied access, or you canceled there. You can start again at any time.',
});
export const accountUnusable = defineProblem({
  code: 'account-server-unusable',
  status: 502,
  title: 'The server cannot be used',
  explain:
    'The server or its authorization server could not be reached, or its response is invalid: an unexpected issuer or resource, no PKCE, or no client registration. Try again; if the problem persists, send this message to an administrator.',
});
export const authorizationServerUnconfirmed = defineProblem({
  code: 'authorization-server-unconfirmed',
  status: 409,
  title: 'The sign-in server is not confirmed',
  explain:
    'The server of an integration names the page where people sign in. An administrator confirms it when the integration is set up, and again when it changes. New sign-ins are blocked until then; connected accounts keep working. Ask an administrator to connect an account on the integration’s page and to confirm the server there.',
});

import { defineProblem } from '../../platform/errors/problem.js';

export const clientNotFound = defineProblem({
  code: 'client-not-found',
  status: 404,
  title: 'OAuth client not found',
  explain: 'Your organization has registered no OAuth client with this id.',
});
export const clientRevoked = defineProblem({
  code: 'client-revoked',
  status: 409,
  title: 'The OAuth client was revoked',
  explain: 'A revoked client stays revoked. Where the product is to be connected again, register it anew.',
});
export const clientNameTaken = defineProblem({
  code: 'client-name-taken',
  status: 409,
  title: 'The name is taken',
  explain:
    'Another OAuth client of your organization has this name. People tell clients apart by it when they are asked for access: choose another one.',
});
export const clientHasNoSecret = defineProblem({
  code: 'client-has-no-secret',
  status: 409,
  title: 'A public client has no secret',
  explain:
    'A public client proves itself by PKCE alone. A product that keeps a secret on a server is registered as confidential.',
});
export const secretNotFound = defineProblem({
  code: 'secret-not-found',
  status: 404,
  title: 'Secret not found',
  explain: 'No OAuth client of your organization has a secret with this id.',
});
export const insufficientScope = defineProblem({
  code: 'insufficient_scope',
  status: 403,
  title: 'The access token does not reach that far',
  explain:
    'The person has not agreed that this product does such a thing for them. "scope" names what is missing: send the person to the authorization endpoint with it.',
});
export const grantNotFound = defineProblem({
  code: 'grant-not-found',
  status: 404,
  title: 'Grant not found',
  explain: 'Nobody in your organization has a grant with this id, or it has ended.',
});

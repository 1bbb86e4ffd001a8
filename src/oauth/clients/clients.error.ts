import { defineProblem } from '../../platform/errors/problem.js';

export const clientNotFound = defineProblem({
  code: 'client-not-found',
  status: 404,
  title: 'OAuth client not found',
  explain: 'Your organization has no OAuth client with this id. Check the id.',
});
export const clientRevoked = defineProblem({
  code: 'client-revoked',
  status: 409,
  title: 'The OAuth client was revoked',
  explain: 'Revoking a client is final. To connect the product again, register a new client.',
});
export const clientNameTaken = defineProblem({
  code: 'client-name-taken',
  status: 409,
  title: 'The name is taken',
  explain:
    'Another OAuth client of your organization has this name. People identify clients by name on the consent page, so choose another one.',
});
export const clientHasNoSecret = defineProblem({
  code: 'client-has-no-secret',
  status: 409,
  title: 'A public client has no secret',
  explain:
    'A public client uses only PKCE. Register a product that can protect a secret on a server as confidential.',
});
export const secretNotFound = defineProblem({
  code: 'secret-not-found',
  status: 404,
  title: 'Secret not found',
  explain: 'No OAuth client of your organization has a secret with this id. Check the id.',
});
export const insufficientScope = defineProblem({
  code: 'insufficient_scope',
  status: 403,
  title: 'Insufficient scope',
  explain:
    'The person has not given this product the required access. Send the person to the authorization endpoint with the scope in "scope".',
});
export const grantNotFound = defineProblem({
  code: 'grant-not-found',
  status: 404,
  title: 'Grant not found',
  explain: 'Your organization has no grant with this id, or the grant has ended. Reload the list.',
});

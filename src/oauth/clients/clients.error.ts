import { defineProblem } from '../../platform/errors/problem.js';

export const clientNotFound = defineProblem({
  code: 'client-not-found',
  status: 404,
  title: 'OAuth client not found',
  explain: 'Your organization has no OAuth client with this id.',
});
export const clientRevoked = defineProblem({
  code: 'client-revoked',
  status: 409,
  title: 'OAuth client revoked',
  explain: 'Revocation is permanent. To connect the product again, register a new client.',
});
export const clientNameTaken = defineProblem({
  code: 'client-name-taken',
  status: 409,
  title: 'Name already in use',
  explain:
    'Another OAuth client of your organization has this name. People see the name when they are asked for access: choose a different one.',
});
export const clientHasNoSecret = defineProblem({
  code: 'client-has-no-secret',
  status: 409,
  title: 'Public clients have no secret',
  explain:
    'Public clients use PKCE instead of a secret. Register a product that keeps a secret on a server as a confidential client.',
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
  title: 'Insufficient scope',
  explain:
    'The person has not allowed this product to do this. "scope" names what is missing: send the person to the authorization endpoint with it.',
});
export const grantNotFound = defineProblem({
  code: 'grant-not-found',
  status: 404,
  title: 'Grant not found',
  explain: 'Your organization has no grant with this id, or it has ended.',
});

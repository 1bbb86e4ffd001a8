import { defineProblem } from '../platform/errors/problem.js';

export const requestExpired = defineProblem({
  code: 'authorization-expired',
  status: 410,
  title: 'Request expired',
  explain:
    'A product’s request for access is more than an hour old, was answered already, or began in another browser. The product got no access. Go back to it and start again.',
});
export const notForThisOrganization = defineProblem({
  code: 'other-organization',
  status: 403,
  title: 'The product is for another organization',
  explain:
    'A product serves only members of the organization that registered it. It got no access. Sign in to that organization and start again.',
});
export const productChanged = defineProblem({
  code: 'product-changed',
  status: 409,
  title: 'The product has changed',
  explain:
    'An administrator changed the product’s registration while the page was open. The product got no access. Open the page again and review the changes.',
});
export const deviceNotWaiting = defineProblem({
  code: 'device-not-waiting',
  status: 404,
  title: 'No terminal is waiting with this code',
  explain:
    'The code was mistyped, is older than ten minutes, or was used already. Start the command in your terminal again and enter the new code.',
});

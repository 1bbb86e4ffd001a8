import { defineProblem } from '../platform/errors/problem.js';

export const requestExpired = defineProblem({
  code: 'authorization-expired',
  status: 410,
  title: 'Request expired',
  explain:
    'The request of the product is more than an hour old, was already answered, or started in another browser. Go back to the product and start again. It received nothing.',
});
export const notForThisOrganization = defineProblem({
  code: 'other-organization',
  status: 403,
  title: 'Product of another organization',
  explain:
    'This product is only for members of the organization that registered it. Sign in to that organization and start again. The product received nothing.',
});
export const productChanged = defineProblem({
  code: 'product-changed',
  status: 409,
  title: 'Product changed in the meantime',
  explain:
    'The permissions or addresses of the product changed while the page was open. Reload the page and review them. The product received nothing.',
});
export const deviceNotWaiting = defineProblem({
  code: 'device-not-waiting',
  status: 404,
  title: 'Unknown code',
  explain:
    'The code is mistyped, older than ten minutes, or already used. Run the command in your terminal again and enter the new code.',
});
export const deviceNotFound = defineProblem({
  code: 'device-not-found',
  status: 404,
  title: 'Terminal not connected',
  explain: 'The terminal was disconnected already, its access expired, or it belongs to someone else.',
});

import { defineProblem } from '../platform/errors/problem.js';

export const requestExpired = defineProblem({
  code: 'authorization-expired',
  status: 410,
  title: 'This request is too old',
  explain:
    'A product sent you here to be allowed something, and that was more than an hour ago, was answered already, or began in another browser. Go back to the product and start again. Nothing was given to it.',
});
export const notForThisOrganization = defineProblem({
  code: 'other-organization',
  status: 403,
  title: 'The product is for another organization',
  explain:
    'A product serves members of the organization that registered it. Sign in there, and start again. Nothing was given to it.',
});
export const productChanged = defineProblem({
  code: 'product-changed',
  status: 409,
  title: 'The product is not what you were shown',
  explain:
    'What a product may do, and where it leads, was changed while the page was open. Open the page again, and read what it says now. Nothing was given to it.',
});
export const deviceNotWaiting = defineProblem({
  code: 'device-not-waiting',
  status: 404,
  title: 'No terminal waits with this code',
  explain:
    'The code was mistyped, is older than ten minutes, or was used already. Start the command in your terminal again, and type the code that it shows then.',
});

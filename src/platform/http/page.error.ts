import { defineProblem } from '../errors/problem.js';

export const otherOrigin = defineProblem({
  code: 'other-origin',
  status: 403,
  title: 'Request from another site',
  explain:
    'Requests that change something with your session must come from the pages of Countersign. Open the page here and submit its form. Nothing was changed.',
});
export const staleForm = defineProblem({
  code: 'stale-form',
  status: 403,
  title: 'Form expired',
  explain:
    'You signed in or out after the page was opened, or the browser did not keep its cookie. Reload the page and submit the form again. Nothing was changed.',
});
export const insecureAddress = defineProblem({
  code: 'insecure-address',
  status: 403,
  title: 'Insecure address',
  explain:
    'Passwords and sessions require https, except on localhost. The operator must set BASE_URL to the https address of the reverse proxy.',
});

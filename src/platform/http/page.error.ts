import { defineProblem } from '../errors/problem.js';

export const otherOrigin = defineProblem({
  code: 'other-origin',
  status: 403,
  title: 'Request from another site',
  explain:
    'A page of another site sent this request with your session. Only pages of this server may do so. Open the page here and submit its form. Nothing was changed.',
});
export const staleForm = defineProblem({
  code: 'stale-form',
  status: 403,
  title: 'Form expired',
  explain:
    'You signed in or out after you opened the page, or your browser did not store the cookie. Open the page again and resubmit the form. Nothing was changed.',
});
export const insecureAddress = defineProblem({
  code: 'insecure-address',
  status: 403,
  title: 'Connection not secure',
  explain:
    'Passwords and sessions are accepted over https only, except on localhost. Ask the operator to set BASE_URL to the https address of the reverse proxy.',
});

import { defineProblem } from '../errors/problem.js';

export const otherOrigin = defineProblem({
  code: 'other-origin',
  status: 403,
  title: 'Sent by a page of another site',
  explain:
    'Requests that change something with your session are taken from our own pages alone. Open the page here and send its form. Nothing was changed.',
});
export const staleForm = defineProblem({
  code: 'stale-form',
  status: 403,
  title: 'This form is out of date',
  explain:
    'You signed in or out since the page was opened, or the browser did not keep its cookie. Open the page again and send the form anew. Nothing was changed.',
});
export const insecureAddress = defineProblem({
  code: 'insecure-address',
  status: 403,
  title: 'This address is not protected',
  explain:
    'Passwords and sessions travel over https only, except on the machine itself (localhost). The operator sets BASE_URL to the https address of the reverse proxy in front.',
});

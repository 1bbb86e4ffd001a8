import { defineProblem } from './problem.js';

export const invalidRequest = defineProblem({
  code: 'invalid-request',
  status: 400,
  title: 'The request is not valid',
  explain:
    'Something in the body, the query or a header is missing or has another form than documented. "errors" names each place with a JSON pointer. Nothing was changed.',
});
export const unauthenticated = defineProblem({
  code: 'unauthenticated',
  status: 401,
  title: 'Not signed in',
  explain:
    'The request carries no credential, or one that is not accepted here: unknown, expired, revoked, or made for another address. Check that the whole key was copied, and that it belongs to this address.',
});
export const forbidden = defineProblem({
  code: 'forbidden',
  status: 403,
  title: 'Not allowed',
  explain: 'You are known, but your roles do not permit this. An administrator of your organization can change them.',
});
export const notFound = defineProblem({
  code: 'not-found',
  status: 404,
  title: 'Not found',
  explain:
    'There is nothing at this address that you may see. Something hidden from you and something that does not exist look the same.',
});
export const methodNotAllowed = defineProblem({
  code: 'method-not-allowed',
  status: 405,
  title: 'Not with this method',
  explain: 'The address is right, and takes other methods: "Allow" lists them.',
});
export const conflict = defineProblem({
  code: 'conflict',
  status: 409,
  title: 'Conflict with the present state',
  explain:
    'Somebody else changed this in the meantime, or its state does not permit the change any more. Read it again and decide anew.',
});
export const tooLarge = defineProblem({
  code: 'too-large',
  status: 413,
  title: 'Too large',
  explain: 'The body, or one part of it, is larger than the limit that "detail" names.',
});
export const unsupportedMediaType = defineProblem({
  code: 'unsupported-media-type',
  status: 415,
  title: 'Content type not supported',
  explain: 'Send the body as application/json in UTF-8.',
});
export const rateLimited = defineProblem({
  code: 'rate-limited',
  status: 429,
  title: 'Too many requests',
  explain: 'This credential or address sent more than its limit. Wait for as long as "Retry-After" says.',
});
export const internalError = defineProblem({
  code: 'internal-error',
  status: 500,
  title: 'Something went wrong',
  explain: 'The request could not be finished. Send it again; if it fails again, give the operator the request id.',
});
export const overloaded = defineProblem({
  code: 'overloaded',
  status: 503,
  title: 'Too busy at the moment',
  explain: 'The server has more work than it can take on. Send the request again after "Retry-After" seconds.',
});

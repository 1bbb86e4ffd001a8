import { defineProblem } from './problem.js';

export const invalidRequest = defineProblem({
  code: 'invalid-request',
  status: 400,
  title: 'Invalid request',
  explain:
    'A value in the body, the query or a header is missing or does not match the documented format. "errors" lists each one with a JSON pointer. Correct them and send the request again. Nothing was changed.',
});
export const unauthenticated = defineProblem({
  code: 'unauthenticated',
  status: 401,
  title: 'Not signed in',
  explain:
    'The request has no credential, or its credential is not accepted at this address: it is unknown, expired, revoked, or issued for another address. Check that you copied the whole key and that it belongs to this address.',
});
export const forbidden = defineProblem({
  code: 'forbidden',
  status: 403,
  title: 'Not allowed',
  explain:
    'You are signed in, but your roles do not permit this. Ask an administrator of your organization to change them.',
});
export const notFound = defineProblem({
  code: 'not-found',
  status: 404,
  title: 'Not found',
  explain:
    'Nothing exists at this address, or you do not have access to it. The response is the same in both cases. Check the address, or ask an administrator for access.',
});
export const methodNotAllowed = defineProblem({
  code: 'method-not-allowed',
  status: 405,
  title: 'Method not allowed',
  explain: 'The address exists, but does not support this HTTP method. Use one of those in the "Allow" header.',
});
export const conflict = defineProblem({
  code: 'conflict',
  status: 409,
  title: 'Conflict with the current state',
  explain:
    'Somebody else changed this in the meantime, or its state no longer permits the change. Reload it and try again.',
});
export const tooLarge = defineProblem({
  code: 'too-large',
  status: 413,
  title: 'Too large',
  explain:
    'The body, or a part of it, exceeds the limit given in "detail". Send less data, or split it into several requests.',
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
  explain:
    'This credential or address exceeded its rate limit. Wait for the time in the "Retry-After" header, then try again.',
});
export const internalError = defineProblem({
  code: 'internal-error',
  status: 500,
  title: 'Something went wrong on our side',
  explain:
    'The request failed because of a server error. Try again. If it keeps failing, send the request id to the operator.',
});
export const overloaded = defineProblem({
  code: 'overloaded',
  status: 503,
  title: 'Server overloaded',
  explain: 'The server cannot accept more work at the moment. Send the request again after "Retry-After" seconds.',
});

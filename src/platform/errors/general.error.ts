import { defineProblem } from './problem.js';

export const invalidRequest = defineProblem({
  code: 'invalid-request',
  status: 400,
  title: 'Invalid request',
  explain:
    'The body, query or a header has a missing or invalid value. "errors" lists each place with a JSON pointer. Nothing was changed.',
});
export const unauthenticated = defineProblem({
  code: 'unauthenticated',
  status: 401,
  title: 'Not authenticated',
  explain:
    'The request has no credential, or one that is unknown, expired, revoked or meant for another address. Check that you copied the whole key and that it belongs to this address.',
});
export const forbidden = defineProblem({
  code: 'forbidden',
  status: 403,
  title: 'Not allowed',
  explain: 'Your roles do not permit this. An administrator of your organization can change them.',
});
export const notFound = defineProblem({
  code: 'not-found',
  status: 404,
  title: 'Not found',
  explain: 'Nothing exists at this address, or you do not have access to it.',
});
export const methodNotAllowed = defineProblem({
  code: 'method-not-allowed',
  status: 405,
  title: 'Method not allowed',
  explain: 'The address does not accept this method. "Allow" lists the accepted ones.',
});
export const conflict = defineProblem({
  code: 'conflict',
  status: 409,
  title: 'Conflict',
  explain: 'The object was changed in the meantime, or its state does not permit this change. Reload it and try again.',
});
export const tooLarge = defineProblem({
  code: 'too-large',
  status: 413,
  title: 'Too large',
  explain: 'The body, or a part of it, exceeds the limit that "detail" names.',
});
export const unsupportedMediaType = defineProblem({
  code: 'unsupported-media-type',
  status: 415,
  title: 'Unsupported content type',
  explain: 'Send the body as application/json in UTF-8.',
});
export const rateLimited = defineProblem({
  code: 'rate-limited',
  status: 429,
  title: 'Too many requests',
  explain: 'This credential or address exceeded its limit. Wait for the number of seconds in "Retry-After".',
});
export const internalError = defineProblem({
  code: 'internal-error',
  status: 500,
  title: 'Something went wrong',
  explain: 'The request could not be completed. Send it again. If it fails again, give the request id to the operator.',
});
export const overloaded = defineProblem({
  code: 'overloaded',
  status: 503,
  title: 'Server overloaded',
  explain: 'The server cannot accept more work at the moment. Send the request again after "Retry-After" seconds.',
});

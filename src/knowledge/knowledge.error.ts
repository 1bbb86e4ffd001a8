import { defineProblem } from '../platform/errors/problem.js';

export const documentNotFound = defineProblem({
  code: 'document-not-found',
  status: 404,
  title: 'Document not found',
  explain: 'No document with this id or name exists, or it is not shared with you.',
});
export const sourceNotFound = defineProblem({
  code: 'source-not-found',
  status: 404,
  title: 'Source not found',
  explain:
    'No connection with this name provides or accepts documents. To push documents from your own machines, ask an administrator to create a connection of the type "documents".',
});
export const documentUnreadable = defineProblem({
  code: 'document-unreadable',
  status: 422,
  title: 'Document cannot be processed',
  explain:
    'The content does not match its media type, contains no text, or is protected. "detail" names the reason. Nothing was changed.',
});
export const documentReturns = defineProblem({
  code: 'document-returns',
  status: 409,
  title: 'Document would be restored',
  explain:
    'The document comes from a source that still has it. Remove or exclude it there, for example in a .gitignore; the next sync removes it here.',
});
export const containersUnavailable = defineProblem({
  code: 'containers-unavailable',
  status: 502,
  title: 'Containers could not be listed',
  explain: 'The connected system did not list its containers. "detail" contains its reason. Test the connection first.',
});

import { defineProblem } from '../platform/errors/problem.js';

export const documentNotFound = defineProblem({
  code: 'document-not-found',
  status: 404,
  title: 'Document not found',
  explain: 'There is no document of this id or name, or it is not shared with you. Both look the same.',
});
export const sourceNotFound = defineProblem({
  code: 'source-not-found',
  status: 404,
  title: 'Source not found',
  explain:
    'There is no connection of this name that documents can be taken from or pushed to. An administrator makes one of the kind "documents" for what your own machines push.',
});
export const documentUnreadable = defineProblem({
  code: 'document-unreadable',
  status: 422,
  title: 'The document cannot be taken in',
  explain:
    'The request was fine, but its content is not what its media type says, has no text, or is protected. "detail" names the reason. Nothing was changed.',
});
export const documentReturns = defineProblem({
  code: 'document-returns',
  status: 409,
  title: 'This document would come back',
  explain:
    'It is taken over from a source that still has it. Remove or hide it there, for example in a .gitignore; the next synchronization removes it here.',
});

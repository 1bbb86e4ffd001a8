import { defineProblem } from '../../platform/errors/problem.js';

export const assistantNotKnown = defineProblem({
  code: 'assistant-not-known',
  status: 404,
  title: 'Unknown assistant',
  explain:
    'Only predefined assistants can be registered this way. Register others with createOauthClient and the redirect URIs from their documentation.',
});

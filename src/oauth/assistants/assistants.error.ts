import { defineProblem } from '../../platform/errors/problem.js';

export const assistantNotKnown = defineProblem({
  code: 'assistant-not-known',
  status: 404,
  title: 'Assistant not known',
  explain:
    'Only the listed assistants can be registered without further settings. Register any other assistant with createOauthClient and the redirect URIs that its vendor documents.',
});

import { defineProblem } from '../../platform/errors/problem.js';

export const assistantNotKnown = defineProblem({
  code: 'assistant-not-known',
  status: 404,
  title: 'Assistant not known',
  explain:
    'Only assistants whose registration is known here are registered with one press. Any other one is registered by hand, with the redirect addresses that its maker names (createOauthClient).',
});

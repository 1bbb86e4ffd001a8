import { defineProblem } from '../platform/errors/problem.js';

export const configurationNotFound = defineProblem({
  code: 'configuration-not-found',
  status: 404,
  title: 'Configuration not found',
  explain:
    'There is no such configuration, the key belongs to another one, or none of your groups may use it: all look the same. Compare the id with the one that came with the key, or with what GET /v1/configurations lists.',
});
export const configurationRequired = defineProblem({
  code: 'configuration-required',
  status: 400,
  title: 'Which configuration?',
  explain:
    'The request names no configuration. That is enough for somebody whose groups may use exactly one; everybody else names one with "configuration". GET /v1/configurations lists them.',
});
export const agentNotFound = defineProblem({
  code: 'agent-not-found',
  status: 404,
  title: 'Agent identity not found',
  explain: 'Your organization has no agent identity with this id.',
});
export const keyNotFound = defineProblem({
  code: 'key-not-found',
  status: 404,
  title: 'Key not found',
  explain: 'Your organization has no A2A key with this id.',
});
export const keyUnusable = defineProblem({
  code: 'key-unusable',
  status: 409,
  title: 'The key cannot be used any more',
  explain: 'It was revoked, or has expired. Make a new one for the agent identity.',
});
export const keyPaused = defineProblem({
  code: 'key-paused',
  status: 403,
  title: 'The key is paused',
  explain:
    'An administrator has paused this key or its agent identity. Its tasks wait; it works again when the pause is over.',
});
export const agentUnattended = defineProblem({
  code: 'agent-unattended',
  status: 403,
  title: 'Nobody answers for this agent',
  explain:
    'The member responsible for the agent identity is not active any more. An administrator has to name another one.',
});
export const configurationNameTaken = defineProblem({
  code: 'configuration-name-taken',
  status: 409,
  title: 'The name is taken',
  explain: 'Another configuration, or another agent identity of this configuration, has this name. Choose another one.',
});
export const keyUnreadable = defineProblem({
  code: 'key-unreadable',
  status: 409,
  title: 'The key cannot be shown',
  explain:
    'The master key that it was sealed under is gone. The key goes on working for whoever has it; where it has to be known again, rotate it.',
});
export const configurationChanged = defineProblem({
  code: 'configuration-changed',
  status: 409,
  title: 'The configuration was changed in the meantime',
  explain: 'Somebody else changed it after you read it. Look at it as it is now, and make your change again.',
});

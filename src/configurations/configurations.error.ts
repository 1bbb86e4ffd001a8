import { defineProblem } from '../platform/errors/problem.js';

export const configurationNotFound = defineProblem({
  code: 'configuration-not-found',
  status: 404,
  title: 'Configuration not found',
  explain:
    'The configuration does not exist, the key belongs to another one, or none of your groups has access. Compare the id with the one you received with the key, or with the list from GET /v1/configurations.',
});
export const configurationRequired = defineProblem({
  code: 'configuration-required',
  status: 400,
  title: 'Configuration required',
  explain:
    'The request names no configuration. This is allowed only if your groups have access to exactly one. Otherwise set "configuration"; GET /v1/configurations lists them.',
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
  title: 'Key no longer valid',
  explain: 'The key is revoked or expired. Create a new one for the agent identity.',
});
export const keyPaused = defineProblem({
  code: 'key-paused',
  status: 403,
  title: 'Key paused',
  explain: 'An administrator has paused this key or its agent identity. Its tasks wait until it is resumed.',
});
export const agentUnattended = defineProblem({
  code: 'agent-unattended',
  status: 403,
  title: 'No responsible member',
  explain:
    'The member responsible for this agent identity is no longer active. An administrator must assign another one.',
});
export const configurationNameTaken = defineProblem({
  code: 'configuration-name-taken',
  status: 409,
  title: 'Name already in use',
  explain:
    'Another configuration, or another agent identity of this configuration, has this name. Choose a different name.',
});
export const keyUnreadable = defineProblem({
  code: 'key-unreadable',
  status: 409,
  title: 'Key cannot be shown',
  explain:
    'The master key that sealed this key is no longer available. The key still works for clients that have it. To see a key again, rotate it.',
});
export const configurationChanged = defineProblem({
  code: 'configuration-changed',
  status: 409,
  title: 'Configuration changed in the meantime',
  explain: 'Someone else changed the configuration after you loaded it. Reload it and make your change again.',
});

import { defineProblem } from '../platform/errors/problem.js';

export const slackRequestRefused = defineProblem({
  code: 'slack-request-refused',
  status: 401,
  title: 'Slack request refused',
  explain:
    'The request is not signed with the signing secret of a Slack app of this organization, is older than five minutes, or was received before. Nothing was decided.',
});
export const slackDecisionRefused = defineProblem({
  code: 'slack-decision-refused',
  status: 403,
  title: "This can't be decided in Slack",
  explain: 'The decision in Slack was not accepted. Open the approval in Countersign instead. Nothing was decided.',
});
export const slackLinkRefused = defineProblem({
  code: 'slack-link-refused',
  status: 409,
  title: 'Slack account not linked',
  explain:
    'The code is wrong, has expired, was requested in another session, or was tried too often; or no Slack app of the organization allows decisions; or Slack has no account with your email address. Request a new code on your account page.',
});

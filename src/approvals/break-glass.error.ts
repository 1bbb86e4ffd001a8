import { defineProblem } from '../platform/errors/problem.js';

export const overrideRefused = defineProblem({
  code: 'override-refused',
  status: 403,
  title: "You can't override this approval",
  explain:
    'Only members to whom another administrator granted break-glass rights before the call was requested can override its approval, and never a requester of the call or a member whose account a requester could use. Only a pending approval can be overridden: never a denial, an expired or void approval, or an error. Nothing was decided.',
});
export const reviewRefused = defineProblem({
  code: 'override-review-refused',
  status: 403,
  title: "You can't review this override",
  explain:
    'An override is reviewed by an administrator or an approver of the step who neither requested the call nor overrode its approval, and who is independent of the member who did. Nothing was recorded.',
});
export const overrideReviewed = defineProblem({
  code: 'override-reviewed',
  status: 409,
  title: 'Override already reviewed',
  explain: 'Another member has reviewed this override. Nothing was changed.',
});

import { defineProblem } from '../../platform/errors/problem.js';

export const changeProposed = defineProblem({
  code: 'change-proposed',
  status: 202,
  title: 'A second administrator has to confirm',
  explain:
    'Your organization requires a second administrator for this kind of change, or a program submitted it. Nothing has changed yet. The change is on the page "Proposed changes", where an administrator who is independent of you can confirm it, and you, too, if the only reason is that a program submitted it. "proposedChangeId" is its id.',
});
export const secondAdministratorRequired = defineProblem({
  code: 'second-administrator-required',
  status: 409,
  title: 'Not possible in one step',
  explain:
    'Your organization requires a second administrator for this kind of change, so it cannot be part of another action. Nothing was changed. "detail" says what to do instead.',
});
export const proposedChangeClosed = defineProblem({
  code: 'proposed-change-closed',
  status: 409,
  title: 'Proposed change already closed',
  explain:
    'The change has already been confirmed, declined or withdrawn, has expired, or the affected settings have changed since the proposal. Nothing was changed.',
});

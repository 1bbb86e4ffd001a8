import { defineProblem } from '../platform/errors/problem.js';

export const jobNotFound = defineProblem({
  code: 'job-not-found',
  status: 404,
  title: 'Job not found',
  explain: 'No quarantined job has this id. It may already have been released.',
});

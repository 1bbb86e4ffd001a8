import { defineProblem } from '../platform/errors/problem.js';

export const jobNotFound = defineProblem({
  code: 'job-not-found',
  status: 404,
  title: 'Job not found',
  explain: 'There is no quarantined job with this id. It may have been released already.',
});

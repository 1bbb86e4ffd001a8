import { defineProblem } from '../platform/errors/problem.js';

export const unsupportedCommandLine = defineProblem({
  code: 'unsupported-command-line',
  status: 400,
  title: 'Unsupported command line',
  explain:
    'The command line and the server are too far apart in version. "detail" says which of them is older. Update that one.',
});

import { statement } from './statement.js';

export const disableSynchronousCommit = statement<[], { set_config: string }>(
  "select set_config('synchronous_commit', 'off', true)",
  { name: 'do-not-flush' },
);

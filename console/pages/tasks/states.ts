import type { ResultOf } from '../../api/graphql.ts';
import type { taskQuery } from './task-query.ts';

export type TaskState = ResultOf<typeof taskQuery>['task']['state'];

export const taskStates: readonly TaskState[] = [
  'SUBMITTED',
  'WORKING',
  'INPUT_REQUIRED',
  'COMPLETED',
  'FAILED',
  'CANCELED',
  'REJECTED',
];

/** What the list and the page show as the state: a quarantined task waits for an administrator. */
export const shownState = ({ state, isQuarantined }: { state: TaskState; isQuarantined: boolean }) =>
  isQuarantined
    ? { state: 'quarantined', label: 'quarantined' }
    : { state: state.toLowerCase(), label: wordsOf(state) };

const words: Partial<Record<TaskState, string>> = { INPUT_REQUIRED: 'waits' };
export const wordsOf = (state: TaskState): string => words[state] ?? state.toLowerCase();

export const hasEnded = (state: TaskState): boolean => taskStates.indexOf(state) >= taskStates.indexOf('COMPLETED');

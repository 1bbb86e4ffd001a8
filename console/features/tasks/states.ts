import type { graphql } from '../../api/graphql.ts';

export type TaskState = ReturnType<typeof graphql.scalar<'TaskState'>>;

export const taskStates: readonly TaskState[] = [
  'SUBMITTED',
  'WORKING',
  'INPUT_REQUIRED',
  'COMPLETED',
  'FAILED',
  'CANCELED',
  'REJECTED',
];

/** The state of a task for a badge. A quarantined task waits for an administrator, whatever its state is. */
export const shownState = ({ state, isQuarantined }: { state: TaskState; isQuarantined: boolean }) =>
  isQuarantined
    ? { state: 'quarantined', label: 'Quarantined' }
    : { state: state.toLowerCase(), label: taskStateName(state) };

/** "input_required" is "Input required". */
export const sentenceCase = (state: string): string => {
  const words = state.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

export const taskStateName = (state: TaskState): string => sentenceCase(state);
export const callStateName = (state: string): string =>
  state === 'unsettled' ? 'Outcome unknown' : sentenceCase(state);
export const approvalStateName = (state: string): string => sentenceCase(state);

export const hasEnded = (state: TaskState): boolean => taskStates.indexOf(state) >= taskStates.indexOf('COMPLETED');

import { Badge } from '@mantine/core';

const tones: Record<string, string> = {
  good: 'sign',
  waiting: 'yellow',
  bad: 'red',
  busy: 'blue',
  off: 'gray',
};

/** The tone of each state; default: off. */
const toneOf: Record<string, keyof typeof tones> = {
  // tasks
  submitted: 'busy',
  working: 'busy',
  input_required: 'waiting',
  completed: 'good',
  failed: 'bad',
  canceled: 'off',
  rejected: 'bad',
  quarantined: 'bad',
  // calls and approvals
  requested: 'busy',
  awaiting_approval: 'waiting',
  pending: 'waiting',
  approved: 'good',
  executing: 'busy',
  succeeded: 'good',
  unsettled: 'waiting',
  denied: 'bad',
  expired: 'off',
  overridden: 'bad',
  void: 'off',
  proposed: 'waiting',
  ended: 'off',
  not_approved: 'waiting',
  partly_approved: 'waiting',
  // proposed changes
  confirmed: 'good',
  declined: 'bad',
  withdrawn: 'off',
  outdated: 'off',
  // connections, members, keys
  connected: 'good',
  limited: 'waiting',
  unverified: 'waiting',
  active: 'good',
  invited: 'waiting',
  suspended: 'bad',
  paused: 'waiting',
  revoked: 'off',
  removed: 'off',
  // sync runs
  running: 'busy',
  complete: 'good',
  done: 'good',
  waiting: 'waiting',
  // findings and coverage
  critical: 'bad',
  high: 'bad',
  medium: 'waiting',
  low: 'busy',
  open: 'waiting',
  final: 'good',
  provisional: 'waiting',
  lost: 'bad',
};

/** States that have to stand out among others of their tone: white text on a dark red. */
const alarms = new Set(['critical']);

/** "partly_approved" as "Partly approved". */
const nameOf = (state: string) => state.charAt(0).toUpperCase() + state.slice(1).replaceAll('_', ' ');

/** A state as coloured text. */
export const StateBadge = ({ state, label }: { state: string; label?: string }) => (
  <Badge
    {...(alarms.has(state)
      ? { color: 'red.9', variant: 'filled', c: 'white' }
      : { color: tones[toneOf[state] ?? 'off'] })}
    autoContrast
    miw="max-content"
  >
    {label ?? nameOf(state)}
  </Badge>
);

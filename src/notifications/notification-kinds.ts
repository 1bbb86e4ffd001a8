import { registerEnumType } from '@nestjs/graphql';

export const notificationKinds = {
  approval_requested: 'approval_requested',
  approval_reminder: 'approval_reminder',
  approval_closed: 'approval_closed',
  change_proposed: 'change_proposed',
  change_closed: 'change_closed',
  audit_stream_failed: 'audit_stream_failed',
  break_glass: 'break_glass',
  budget_reached: 'budget_reached',
  critical_finding: 'critical_finding',
  sync_failed: 'sync_failed',
  tool_blocked: 'tool_blocked',
  unknown_outcome: 'unknown_outcome',
} as const;
export type NotificationKind = keyof typeof notificationKinds;
export const allNotificationKinds = Object.keys(notificationKinds) as NotificationKind[];
/** Sent by email whatever the member has chosen. */
export const mandatoryNotificationKinds: readonly NotificationKind[] = ['break_glass'];

registerEnumType(notificationKinds, {
  name: 'NotificationKind',
  valuesMap: {
    approval_requested: { description: 'A tool call waits for your decision.' },
    approval_reminder: { description: 'An approval that you can decide expires soon.' },
    approval_closed: { description: 'A call that you are responsible for was approved, denied or expired.' },
    change_proposed: { description: 'Another administrator proposed a change, which waits for a second one.' },
    change_closed: { description: 'A change that you proposed was confirmed or declined, is outdated, or expired.' },
    audit_stream_failed: { description: 'An audit stream keeps failing, has stopped, or works again.' },
    break_glass: { description: 'A member overrode a pending approval. This notification cannot be turned off.' },
    budget_reached: { description: 'Spend reached an alert threshold of a budget.' },
    critical_finding: { description: 'A scan of configuration files found a critical issue.' },
    sync_failed: { description: 'The data of an integration could not be synced.' },
    tool_blocked: { description: 'The definition of a confirmed tool changed, so its calls are blocked.' },
    unknown_outcome: { description: 'Nobody knows whether a tool call took effect.' },
  },
});

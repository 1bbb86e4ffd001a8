/** In the order of the lists. */
export const notificationKindNames = {
  approval_requested: 'Approval requested',
  approval_reminder: 'Approval expires soon',
  approval_closed: 'Approval decided or expired',
  break_glass: 'Pending approval overridden',
  change_proposed: 'Proposed change',
  change_closed: 'Proposed change decided',
  unknown_outcome: 'Unknown outcome of a call',
  tool_blocked: 'Blocked tool',
  sync_failed: 'Failed sync or integration',
  audit_stream_failed: 'Failing audit stream',
  budget_reached: 'Budget threshold reached',
  critical_finding: 'Critical finding',
} as const;
export type NotificationKind = keyof typeof notificationKindNames;
export const notificationKindList = Object.keys(notificationKindNames) as NotificationKind[];

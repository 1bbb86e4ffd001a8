import type { CsvColumn } from '../platform/http/csv.js';
import type { StepTimesRow } from './decision-times.sql.js';
import type {
  ApproverDecisionTimes,
  UnmatchedPolicyRule,
  UnusedTool,
  UnviewedDecision,
} from './governance-report.object.js';

/* The columns of the exports. Never reuse a column name with another meaning. */

export const stepTimesColumns: readonly CsvColumn<StepTimesRow>[] = [
  { name: 'step', text: ({ stepName }) => stepName },
  { name: 'approved', number: ({ approved }) => approved },
  { name: 'denied', number: ({ denied }) => denied },
  { name: 'expired', number: ({ expired }) => expired },
  { name: 'median_seconds', number: ({ medianSeconds }) => medianSeconds },
  { name: 'p90_seconds', number: ({ p90Seconds }) => p90Seconds },
  { name: 'open_now', number: ({ open }) => open },
  { name: 'oldest_open_seconds', number: ({ oldestOpenSeconds }) => oldestOpenSeconds },
];

export const approverTimesColumns: readonly CsvColumn<ApproverDecisionTimes>[] = [
  { name: 'member_id', text: ({ memberId }) => memberId },
  { name: 'member', text: ({ memberName }) => memberName },
  { name: 'approved', number: ({ approved }) => approved },
  { name: 'denied', number: ({ denied }) => denied },
  { name: 'median_seconds', number: ({ medianSeconds }) => medianSeconds },
  { name: 'p90_seconds', number: ({ p90Seconds }) => p90Seconds },
  { name: 'without_view', number: ({ unviewed }) => unviewed },
  { name: 'open_now', number: ({ open }) => open },
];

export const unviewedDecisionColumns: readonly CsvColumn<UnviewedDecision>[] = [
  { name: 'decided_at', text: ({ decidedAt }) => decidedAt.toISOString() },
  { name: 'decision', text: ({ decision }) => decision },
  { name: 'member_id', text: ({ memberId }) => memberId },
  { name: 'member', text: ({ memberName }) => memberName },
  { name: 'tool', text: ({ tool }) => tool },
  { name: 'step', text: ({ stepName }) => stepName },
  { name: 'configuration', text: ({ configurationName }) => configurationName },
  { name: 'approval_id', text: ({ approvalId }) => approvalId },
];

export const unmatchedPolicyColumns: readonly CsvColumn<UnmatchedPolicyRule>[] = [
  { name: 'configuration', text: ({ configurationName }) => configurationName },
  { name: 'policy', text: ({ policyId }) => policyId },
  { name: 'effect', text: ({ effect }) => effect },
  { name: 'step', text: ({ step }) => step },
  { name: 'revision', number: ({ revision }) => revision },
  { name: 'unchanged_since', text: ({ unchangedSince }) => unchangedSince.toISOString() },
];

export const unusedToolColumns: readonly CsvColumn<UnusedTool>[] = [
  { name: 'configuration', text: ({ configurationName }) => configurationName },
  { name: 'connection', text: ({ connectionSlug }) => connectionSlug },
  { name: 'tool', text: ({ tool }) => tool },
  { name: 'effect', text: ({ effect }) => effect },
  { name: 'requests', number: ({ requests }) => requests },
];

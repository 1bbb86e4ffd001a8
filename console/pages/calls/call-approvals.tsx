import { Anchor, Group, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import { approvalStateName } from '../../features/tasks/states.ts';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { visible } from '../../kit/visible.ts';
import { When } from '../../kit/when.tsx';
import type { CallApproval } from './call-query.ts';

/** Each approval with its votes. Shows those that the viewer can see. */
export const CallApprovals = ({ approvals }: { approvals: readonly CallApproval[] }) => (
  <Stack gap="md">
    {approvals.map((approval) => (
      <div key={approval.id}>
        <Group gap="sm">
          <Anchor component={Link} to={`/approvals/${approval.id}`} size="sm">
            Approval “{approval.stepName}”
          </Anchor>
          <StateBadge state={approval.state} label={approvalStateName(approval.state)} />
        </Group>
        <Text size="sm" c="dimmed" mt={4}>
          <Votes approval={approval} />
        </Text>
        {approval.reason && (
          <Text size="sm" mt={4}>
            <Untrusted text={approval.reason} />
          </Text>
        )}
      </div>
    ))}
  </Stack>
);

function Votes({
  approval: { quorum, approvedBy, decider, decidedAt, overriddenBy, selfApproved, state },
}: {
  approval: CallApproval;
}) {
  const names = approvedBy.map(({ name }) => visible(name ?? 'Former member'));
  return (
    <>
      {approvedBy.length} of {quorum} approved
      {names.length > 0 && `: ${new Intl.ListFormat('en').format(names)}`}
      {state === 'denied' && decider && (
        <>
          {' · denied by '}
          <Untrusted text={decider.name ?? 'Former member'} />
        </>
      )}
      {overriddenBy && (
        <>
          {' · overridden with break-glass rights by '}
          <Untrusted text={decider?.name ?? 'Former member'} />
        </>
      )}
      {selfApproved && ' · self-approved'}
      {decidedAt && (
        <>
          {' · '}
          <When at={decidedAt} />
        </>
      )}
    </>
  );
}

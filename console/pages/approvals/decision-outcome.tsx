import { Alert, Anchor, Stack, Text } from '@mantine/core';
import { IconCircleCheck, IconCircleX, IconClockOff, IconUsers } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useMe } from '../../kit/me.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { visible } from '../../kit/visible.ts';
import { When } from '../../kit/when.tsx';
import { callStateTexts } from '../../../src/console/call-state-texts.ts';
import type { Approval } from './approval-query.ts';
import { Candidates } from './candidates.tsx';
import { draftOf } from './decision.tsx';
import { approvalStateTitles } from './labels.ts';

const alertProps = {
  approved: { color: 'sign', icon: <IconCircleCheck aria-hidden /> },
  denied: { color: 'red', icon: <IconCircleX aria-hidden /> },
  expired: { color: 'gray', icon: <IconClockOff aria-hidden /> },
  void: { color: 'gray', icon: <IconCircleX aria-hidden /> },
};

/** The outcome. Announced to screen readers when it changes. */
export function DecisionOutcome({ approval }: { approval: Approval }) {
  const { state, decider, deciderFor, decidedAt, decidedInSlack, requiresPasskey, override } = approval;
  const { reason, id, call, successorId } = approval;
  if (state === 'pending' || state === 'waiting') return null;
  const draft = draftOf(id);
  return (
    <Alert {...alertProps[state]} variant="light" title={approvalStateTitles[state]} role="status">
      <When at={decidedAt} />
      {decider && (
        <>
          {' by '}
          <Untrusted text={decider.name ?? 'Former member'} />
          {deciderFor && (
            <>
              {' for '}
              <Untrusted text={deciderFor.name ?? 'Former member'} />
            </>
          )}
        </>
      )}
      {decidedInSlack && ', in Slack'}
      {requiresPasskey && decider && !override && ', with a passkey'}.
      {reason && (
        <Text size="sm" mt={4}>
          <Untrusted text={reason} />
        </Text>
      )}
      {successorId && (
        <Anchor component={Link} to={`/approvals/${successorId}`} size="sm" display="block" mt={4}>
          Open the approval of the edited call
        </Anchor>
      )}
      {state === 'approved' && (
        <Text size="sm" mt={4}>
          {callStateTexts[call.state]} {call.reason && <Untrusted text={call.reason} />}
        </Text>
      )}
      {draft && (
        <Text size="sm" mt={4}>
          Your unsent reason: <Untrusted text={draft} />
        </Text>
      )}
    </Alert>
  );
}

/** How many members have approved, while more are needed. Announced to screen readers when it changes. */
export function QuorumProgress({ approval: { quorum, approvedBy } }: { approval: Approval }) {
  const names = approvedBy.map(({ name, substituteFor }) =>
    visible(`${name ?? 'Former member'}${substituteFor ? ` for ${substituteFor.name ?? 'Former member'}` : ''}`),
  );
  return (
    <Alert color="blue" variant="light" icon={<IconUsers aria-hidden />} title="Approvals" role="status">
      {approvedBy.length} of {quorum}
      {names.length > 0 && `: ${new Intl.ListFormat('en').format(names)}`}
    </Alert>
  );
}

/** Why this person can't decide, and who can. */
export function CannotDecide({ approval: { candidates, approvedBy } }: { approval: Approval }) {
  const { member } = useMe();
  const own = candidates.find(({ id }) => id === member.id);
  const hasApproved = approvedBy.some(({ id }) => id === member.id);
  const title = hasApproved ? 'Waiting for other approvers' : "You can't decide this";
  return (
    <Alert color="gray" variant="light" icon={<IconUsers aria-hidden />} title={title}>
      <Stack gap="xs">
        <Text size="sm">
          <Untrusted text={own?.reason ?? 'The approval step names other approvers.'} />
        </Text>
        {own?.nextStep && (
          <Text size="sm">
            <Untrusted text={own.nextStep} />
          </Text>
        )}
        {own?.needsPasskey && (
          <Anchor href="/account/ways-in" size="sm">
            Add a passkey
          </Anchor>
        )}
        <Candidates candidates={candidates.filter(({ id }) => id !== member.id)} />
      </Stack>
    </Alert>
  );
}

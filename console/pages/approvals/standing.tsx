import { Alert, Text } from '@mantine/core';
import { IconCircleCheck, IconCircleX, IconClockOff, IconUsers } from '@tabler/icons-react';
import { Untrusted } from '../../kit/untrusted.tsx';
import { When } from '../../kit/when.tsx';
import { whatBecame } from '../../../src/console/what-became.ts';
import type { Approval } from './approval-query.ts';
import { draftOf } from './decision.tsx';
import { states } from './words.ts';

const looks = {
  approved: { color: 'sign', icon: <IconCircleCheck aria-hidden /> },
  denied: { color: 'red', icon: <IconCircleX aria-hidden /> },
  expired: { color: 'gray', icon: <IconClockOff aria-hidden /> },
  void: { color: 'gray', icon: <IconCircleX aria-hidden /> },
};

/** What became of it; said aloud when it happens while somebody looks on. */
export function Standing({ approval }: { approval: Approval }) {
  const { state, decider, decidedAt, reason, id, call } = approval;
  if (state === 'pending') return null;
  const draft = draftOf(id);
  return (
    <Alert {...looks[state]} variant="light" title={states[state]} role="status">
      <When at={decidedAt} />
      {decider && (
        <>
          {' by '}
          <Untrusted text={decider.name ?? 'somebody who left'} />
        </>
      )}
      .
      {reason && (
        <Text size="sm" mt={4}>
          <Untrusted text={reason} />
        </Text>
      )}
      {state === 'approved' && (
        <Text size="sm" mt={4}>
          {whatBecame[call.state]} {call.reason && <Untrusted text={call.reason} />}
        </Text>
      )}
      {draft && (
        <Text size="sm" mt={4}>
          What you had begun to write: <Untrusted text={draft} />
        </Text>
      )}
    </Alert>
  );
}

/** Why the person sees it, and cannot decide it. */
export const NotYours = ({ approval: { tier } }: { approval: Approval }) => (
  <Alert color="gray" variant="light" icon={<IconUsers aria-hidden />} title="This is for others to decide">
    {tier === 'review'
      ? 'Whoever asked for a call, or answers for the agent that did, never reviews it; nor does, for a day, somebody whom such a person let in by a link. The step names who else may.'
      : 'The approval step names who may.'}
  </Alert>
);

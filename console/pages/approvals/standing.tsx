import { Alert, Stack, Text } from '@mantine/core';
import { IconCircleCheck, IconCircleX, IconClockOff, IconUsers } from '@tabler/icons-react';
import { useMe } from '../../app/me.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { When } from '../../kit/when.tsx';
import { whatBecame } from '../../../src/console/call-state-texts.ts';
import type { Approval } from './approval-query.ts';
import { Candidates } from './candidates.tsx';
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

/** Why the person sees it and can't decide it, and who can. */
export function NotYours({ approval: { candidates } }: { approval: Approval }) {
  const { member } = useMe();
  const own = candidates.find(({ id }) => id === member.id);
  return (
    <Alert color="gray" variant="light" icon={<IconUsers aria-hidden />} title="You can't decide this">
      <Stack gap="xs">
        <Text size="sm">
          <Untrusted text={own?.reason ?? 'The approval step names other approvers.'} />
        </Text>
        {own?.nextStep && (
          <Text size="sm">
            <Untrusted text={own.nextStep} />
          </Text>
        )}
        <Candidates candidates={candidates.filter(({ id }) => id !== member.id)} />
      </Stack>
    </Alert>
  );
}

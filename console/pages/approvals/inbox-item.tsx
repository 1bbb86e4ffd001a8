import { Badge, Group, Text } from '@mantine/core';
import { useMemo } from 'react';
import { type ArgumentValue, flattenArguments } from '../../../src/console/flatten-arguments.ts';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { relativeTime, shortDuration, useNow } from '../../kit/when.tsx';
import { approvalStateName } from '../../features/tasks/states.ts';
import { isGuessedSecret } from '../../../src/gate/guessed-secret.ts';
import type { InboxApproval } from './inbox-query.ts';
import { type ApprovalCaller, effectNames, effectTones } from './labels.ts';

/** One entry of the inbox: the call, its requester, its waiting time and the tasks that it blocks. */
export function InboxItem({
  approval: {
    call,
    state,
    stepNumber,
    stepCount,
    escalatedAt,
    createdAt,
    expiresAt,
    decidedAt,
    overriddenBy,
    blockedTaskCount,
    viewerCanDecide,
    decider,
  },
}: {
  approval: InboxApproval;
}) {
  const now = useNow();
  const { name } = call.caller as ApprovalCaller;
  const isPending = state === 'pending';
  const distinguishingArgument = useMemo(() => distinguishingArgumentOf(call.arguments), [call.arguments]);
  return (
    <>
      <Group justify="space-between" gap="xs" wrap="nowrap" align="baseline">
        <Text span fw={600} size="sm" lineClamp={2}>
          <Untrusted text={call.title} />
        </Text>
        {isPending ? (
          <CallEffect effect={call.effect} />
        ) : (
          <StateBadge
            state={overriddenBy ? 'overridden' : state}
            label={overriddenBy ? undefined : approvalStateName(state)}
          />
        )}
      </Group>
      {call.arguments === null && (
        <Text size="xs" c="red" lineClamp={1}>
          Arguments can&apos;t be decrypted
        </Text>
      )}
      {distinguishingArgument && (
        <Text size="xs" lineClamp={1}>
          <Untrusted text={`${distinguishingArgument.path}: ${distinguishingArgument.text}`} />
        </Text>
      )}
      <Text size="xs" c="dimmed" lineClamp={1}>
        Requested by <Untrusted text={name} />
      </Text>
      <Text size="xs" c="dimmed" className="figures">
        {isPending
          ? `Waiting ${shortDuration(createdAt, now)}, expires ${relativeTime(expiresAt, now)}`
          : decidedAt && relativeTime(decidedAt, now)}
        {decider?.name && (
          <>
            {' by '}
            <Untrusted text={decider.name} />
          </>
        )}
        {stepCount > 1 && ` · Step ${stepNumber} of ${stepCount}`}
        {blockedTaskCount > 0 && ` · Blocks ${blockedTaskCount === 1 ? '1 task' : `${blockedTaskCount} tasks`}`}
        {isPending && escalatedAt && ' · Escalated'}
        {isPending && !viewerCanDecide && " · You can't decide this"}
      </Text>
    </>
  );
}

/** The argument that best distinguishes calls of the same tool. Shown with its name, so that a caller can't imitate a label. */
function distinguishingArgumentOf(canonical: string | null): ArgumentValue | undefined {
  if (canonical === null) return undefined;
  const texts = flattenArguments(JSON.parse(canonical)).filter(
    ({ path, kind, isLong }) => kind === 'text' && !isLong && !isGuessedSecret(path),
  );
  return texts.find(({ path }) => /(^|\.)(title|subject|name)$/i.test(path)) ?? texts.at(0);
}

export const CallEffect = ({ effect }: { effect: string | null }) => (
  <Badge color={effectTones[effect ?? 'write']} style={{ flexShrink: 0 }}>
    {effectNames[effect ?? 'write']}
  </Badge>
);

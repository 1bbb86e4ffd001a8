import { Badge, Group, Text } from '@mantine/core';
import { useMemo } from 'react';
import { type ShownValue, shownValues } from '../../../src/console/flatten-arguments.ts';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { relativeTime, useNow } from '../../kit/when.tsx';
import { isGuessedSecret } from '../../../src/gate/guessed-secret.ts';
import type { Waiting } from './inbox-query.ts';
import { type Caller, effects, effectTones } from './words.ts';

/** One line of the inbox: what, by whom, how long still. */
export function InboxItem({
  approval: { call, state, expiresAt, decidedAt, isOpenToMe, decider },
}: {
  approval: Waiting;
}) {
  const now = useNow();
  const { name } = call.caller as Caller;
  const isPending = state === 'pending';
  const told = useMemo(() => tellingValue(call.arguments), [call.arguments]);
  return (
    <>
      <Group justify="space-between" gap="xs" wrap="nowrap" align="baseline">
        <Text span fw={600} size="sm" lineClamp={2}>
          <Untrusted text={call.title} />
        </Text>
        {isPending ? <Effect effect={call.effect} /> : <StateBadge state={state} />}
      </Group>
      {told && (
        <Text size="xs" lineClamp={1}>
          <Untrusted text={`${told.path}: ${told.text}`} />
        </Text>
      )}
      <Text size="xs" c="dimmed" lineClamp={1}>
        asked for by <Untrusted text={name} />
      </Text>
      <Text size="xs" c="dimmed" className="figures">
        {isPending ? `runs out ${relativeTime(expiresAt, now)}` : decidedAt && relativeTime(decidedAt, now)}
        {decider?.name && (
          <>
            {' by '}
            <Untrusted text={decider.name} />
          </>
        )}
        {isPending && !isOpenToMe && ' · for others to decide'}
      </Text>
    </>
  );
}

/** The argument by which people tell calls of one tool apart; as an argument, since no label is the caller's. */
function tellingValue(canonical: string): ShownValue | undefined {
  const texts = shownValues(JSON.parse(canonical)).filter(
    ({ path, kind, isLong }) => kind === 'text' && !isLong && !isGuessedSecret(path),
  );
  return texts.find(({ path }) => /(^|\.)(title|subject|name)$/i.test(path)) ?? texts.at(0);
}

export const Effect = ({ effect }: { effect: string | null }) => (
  <Badge color={effectTones[effect ?? 'write']} style={{ flexShrink: 0 }}>
    {effects[effect ?? 'write']}
  </Badge>
);

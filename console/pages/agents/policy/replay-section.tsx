import { Button, Group, List, Progress, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { Section } from '../../../kit/section.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { ReplayedCalls } from './replayed-calls.tsx';
import type { PolicyCheck } from './use-policy-check.ts';
import { type Replay, useReplay } from './use-replay.ts';
import { verdictName } from './verdict-name.ts';

interface Props {
  configurationId: string;
  text: string;
  check: PolicyCheck;
}

const periods = [
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: 'all', label: 'All calls' },
];
const dayMs = 24 * 60 * 60 * 1000;

/** Shows which recorded calls the text would decide differently from the live revision. */
export function ReplaySection({ configurationId, text, check }: Props) {
  const [period, setPeriod] = useState('7');
  const { replay, start, cancel } = useReplay(configurationId);
  const isValid = check.of === text && !check.errors.length;
  const since = () => (period === 'all' ? null : new Date(Date.now() - Number(period) * dayMs));
  return (
    <Section title="Replay" lead="Recorded calls that this text would decide differently from the live revision.">
      <Group align="flex-end" gap="sm">
        <Select
          label="Period"
          data={periods}
          value={period}
          onChange={(value) => value && setPeriod(value)}
          allowDeselect={false}
          w="11rem"
        />
        {replay?.state === 'running' ? (
          <Button variant="default" onClick={cancel}>
            Cancel replay
          </Button>
        ) : (
          <Button variant="default" disabled={!isValid} onClick={() => start(text, since())}>
            Replay recorded calls
          </Button>
        )}
      </Group>
      {replay && <ReplayResult replay={replay} isOutdated={replay.text !== text} />}
    </Section>
  );
}

function ReplayResult({ replay, isOutdated }: { replay: Replay; isOutdated: boolean }) {
  const { state, problem, calls, total, changes, notEvaluated } = replay;
  return (
    <Stack mt="md" gap="sm">
      {problem && <ProblemNote problem={problem} />}
      {isOutdated && <Text size="sm">The text changed after this replay. Replay the calls again.</Text>}
      {state === 'running' && <Progress value={total ? (100 * calls) / total : 0} aria-label="Replay progress" />}
      <Text size="sm" role="status">
        {stateNames[state]} {calls.toLocaleString()} of {total.toLocaleString()} calls read,{' '}
        {changes.length.toLocaleString()} with a different verdict, {notEvaluated.length.toLocaleString()} not
        evaluated.
      </Text>
      <ChangeCounts replay={replay} />
      {changes.length > 0 && <ReplayedCalls changes={changes} />}
    </Stack>
  );
}

const stateNames = {
  running: 'Replaying…',
  done: 'Replay finished.',
  cancelled: 'Replay cancelled.',
  failed: 'Replay failed.',
} as const;

const gapNames = {
  arguments_missing: 'no arguments are stored',
  arguments_unreadable: 'the arguments cannot be decrypted',
  tool_missing: 'the tool was removed',
} as const;

/** How many calls change from which verdict to which, and why others were not evaluated. */
function ChangeCounts({ replay: { changes, notEvaluated } }: { replay: Replay }) {
  const kinds = Map.groupBy(changes, ({ before, after }) => `${verdictName(before)} → ${verdictName(after)}`);
  const gaps = Map.groupBy(notEvaluated, ({ gap }) => gap);
  if (!kinds.size && !gaps.size) return null;
  return (
    <List size="sm" listStyleType="none" aria-label="Replay results">
      {[...kinds].map(([kind, calls]) => (
        <List.Item key={kind}>
          <Untrusted text={kind} />: {calls.length.toLocaleString()}
        </List.Item>
      ))}
      {[...gaps].map(([gap, calls]) => (
        <List.Item key={gap}>
          Not evaluated, {gapNames[gap]}: {calls.length.toLocaleString()} (
          <Untrusted text={[...new Set(calls.map(({ tool }) => tool))].slice(0, 5).join(', ')} />)
        </List.Item>
      ))}
    </List>
  );
}

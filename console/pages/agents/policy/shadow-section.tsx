import { Button, Stack, Text } from '@mantine/core';
import { useEffect } from 'react';
import { useQuery } from 'urql';
import { useChangeEvents } from '../../../api/change-events.ts';
import { Disclosure } from '../../../kit/disclosure.tsx';
import { Loaded } from '../../../kit/loaded.tsx';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { Section } from '../../../kit/section.tsx';
import { TextDifference } from '../../../kit/text-difference.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { When } from '../../../kit/when.tsx';
import { type Shadow, shadowQuery, startShadow, stopShadow } from './shadow-query.ts';
import { ShadowedCalls } from './shadowed-calls.tsx';
import type { PolicyCheck } from './use-policy-check.ts';

/** The server evaluates new calls without an event. */
const reloadMs = 15_000;

interface Props {
  configurationId: string;
  text: string;
  check: PolicyCheck;
  mayManage: boolean;
}

/** Tries the text on new calls without enforcing it. */
export function ShadowSection({ configurationId, text, check, mayManage }: Props) {
  const [result, refetch] = useQuery({ query: shadowQuery, variables: { id: configurationId } });
  const reload = () => refetch({ requestPolicy: 'network-only' });
  useChangeEvents('policy', reload);
  const starting = useChange(startShadow, { done: 'Shadow started.', onDone: reload });
  const stopping = useChange(stopShadow, { done: 'Shadow stopped.', onDone: reload });
  const isRunning = result.data?.policyShadow?.stoppedAt === null;
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => refetch({ requestPolicy: 'network-only' }), reloadMs);
    return () => clearInterval(timer);
  }, [isRunning, refetch]);
  const isValid = check.of === text && !check.errors.length;
  const problem = starting.problem ?? stopping.problem;
  return (
    <Section
      title="Shadow"
      lead="Try this text on new calls. Its verdicts are recorded and decide nothing."
      actions={
        mayManage && (
          <>
            {isRunning && (
              <Button
                variant="default"
                size="xs"
                loading={stopping.isSending}
                onClick={() => stopping.send({ input: { configurationId } })}
              >
                Stop shadow
              </Button>
            )}
            <Button
              variant="default"
              size="xs"
              disabled={!isValid || (isRunning && result.data?.policyShadow?.text === text)}
              loading={starting.isSending}
              onClick={() => starting.send({ input: { configurationId, text } })}
            >
              {isRunning ? 'Restart shadow with this text' : 'Start shadow'}
            </Button>
          </>
        )
      }
    >
      {problem && <ProblemNote problem={problem} />}
      <Loaded result={result} refetch={reload}>
        {({ policyShadow: shadow }) =>
          shadow ? (
            <ShadowResult shadow={shadow} text={text} />
          ) : (
            <Text size="sm" c="dimmed">
              No shadow yet. Change the text and start one to see how it would decide new calls.
            </Text>
          )
        }
      </Loaded>
    </Section>
  );
}

const stopNames = {
  stopped: 'Stopped',
  published: 'Stopped because a revision was published',
  too_expensive: 'Stopped because the text takes too much time or memory',
} as const;

function ShadowResult({ shadow, text }: { shadow: Shadow; text: string }) {
  const { starter, startedAt, stoppedAt, stopReason, revision, changes } = shadow;
  return (
    <Stack gap="sm">
      <Text size="sm" role="status">
        {describeCounts(shadow)}
      </Text>
      <Text size="sm" c="dimmed">
        <Untrusted text={starter} /> started it <When at={startedAt} />. Compared with revision {revision}.{' '}
        {stoppedAt && stopReason ? (
          <>
            {stopNames[stopReason]} <When at={stoppedAt} />.
          </>
        ) : (
          'Calls appear after about three minutes.'
        )}
      </Text>
      {changes.length > 0 && <ShadowedCalls changes={changes} />}
      {shadow.text !== text && (
        <Disclosure label="Show how the text of the shadow differs from this text">
          <TextDifference before={shadow.text} now={text} heads={['Shadow', 'This text']} />
        </Disclosure>
      )}
    </Stack>
  );
}

const resultNames = { allow: 'allowed', approval: 'approval', deny: 'denied' } as const;

/** "10 of 328 evaluated calls would change: 3 to allowed, 7 to denied. 12 could not be evaluated." */
function describeCounts({ calls, notEvaluated, changes }: Shadow): string {
  if (!calls) return 'No calls yet.';
  const evaluated = calls - notEvaluated;
  if (!evaluated) return `None of ${calls.toLocaleString()} calls could be evaluated.`;
  const gap = notEvaluated ? ` ${notEvaluated.toLocaleString()} could not be evaluated.` : '';
  if (!changes.length) return `No different verdict in ${evaluated.toLocaleString()} evaluated calls.${gap}`;
  const countOf = (list: Shadow['changes']) => list.reduce((sum, one) => sum + one.calls, 0);
  const parts = (['allow', 'approval', 'deny'] as const).flatMap((verdict) => {
    const count = countOf(changes.filter(({ after }) => after.verdict === verdict));
    return count ? `${count.toLocaleString()} to ${resultNames[verdict]}` : [];
  });
  const changed = `${countOf(changes).toLocaleString()} of ${evaluated.toLocaleString()} evaluated calls would change`;
  return `${changed}: ${parts.join(', ')}.${gap}`;
}

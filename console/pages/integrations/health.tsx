import { List, Text } from '@mantine/core';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';

interface Health {
  status: 'unverified' | 'connected' | 'limited' | 'failed';
  pausedAt: string | null;
}

const words = {
  connected: 'Connected',
  limited: 'Limited',
  failed: 'Failed',
  unverified: 'Not checked yet',
  paused: 'Paused',
};

const sentences = {
  connected: 'At the last check everything was in order.',
  limited: 'It works, but not all of it.',
  failed: 'It cannot be used at present.',
  unverified: 'It was saved and is being checked for the first time.',
  paused: 'It was stopped by hand: no call goes through it and nothing is read until somebody resumes it.',
};

const stateOf = ({ status, pausedAt }: Health): keyof typeof words => (pausedAt ? 'paused' : status);

export const HealthBadge = ({ of }: { of: Health }) => <StateBadge state={stateOf(of)} label={words[stateOf(of)]} />;

export const healthSentence = (of: Health): string => sentences[stateOf(of)];

interface Finding {
  sentence: string;
  code: string | null;
}

/** "What to do. (its_code) And this. (other_code)" is two findings. */
export function findingsOf(reason: string): Finding[] {
  const findings: Finding[] = [];
  let rest = reason;
  for (const match of reason.matchAll(/(.+?\.)\s\(([a-z]+(?:_[a-z]+)+|network)\)(?=\s|$)/gs)) {
    findings.push({ sentence: match[1].trim(), code: match[2] });
    rest = reason.slice(match.index + match[0].length);
  }
  if (rest.trim()) findings.push({ sentence: rest.trim(), code: null });
  return findings;
}

/** What a check found, a sentence each. Some of the words may be the other system's. */
export function Reason({ of }: { of: string }) {
  const findings = findingsOf(of);
  if (findings.length === 1) return <Sentence finding={findings[0]} />;
  return (
    <List size="sm" spacing={4}>
      {findings.map((finding) => (
        <List.Item key={finding.sentence}>
          <Sentence finding={finding} />
        </List.Item>
      ))}
    </List>
  );
}

const Sentence = ({ finding: { sentence, code } }: { finding: Finding }) => (
  <Text size="sm">
    <Untrusted text={sentence} />
    {code && (
      <Text span size="xs" c="dimmed" ff="monospace" ml={6}>
        {code}
      </Text>
    )}
  </Text>
);

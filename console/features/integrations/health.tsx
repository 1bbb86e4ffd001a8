import { List, Text } from '@mantine/core';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';

interface Health {
  status: 'unverified' | 'connected' | 'limited' | 'failed';
  pausedAt: string | null;
}

export const healthNames = {
  connected: 'Connected',
  limited: 'Limited',
  failed: 'Failed',
  unverified: 'Not tested yet',
  paused: 'Paused',
};

const healthSentences = {
  connected: 'Last check passed',
  limited: 'Working with limitations',
  failed: 'Not working',
  unverified: 'Running the first connection test',
  paused: 'Paused by an administrator. Calls are refused and syncs are stopped until it is resumed.',
};

const stateOf = ({ status, pausedAt }: Health): keyof typeof healthNames => (pausedAt ? 'paused' : status);

export const HealthBadge = ({ of }: { of: Health }) => (
  <StateBadge state={stateOf(of)} label={healthNames[stateOf(of)]} />
);

export const healthSentence = (of: Health): string => healthSentences[stateOf(of)];

interface Finding {
  sentence: string;
  code: string | null;
}

/** Splits a reason such as "Do this. (some_code) And this. (other_code)" into its findings. */
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

/** The findings of a check. Parts of the text may come from the other system. */
export function CheckFindings({ of }: { of: string }) {
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

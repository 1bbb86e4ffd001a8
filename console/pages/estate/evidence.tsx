import { Anchor, List, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Facts } from '../../kit/facts.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';

/** Advisories are ours, and so are their links; anything else in evidence may be of a file. */
const ours = 'advisories';

/** By what a finding can be checked, as it comes: names, values, lists of both. */
export const Evidence = ({ of, isOurs = false }: { of: Record<string, unknown>; isOurs?: boolean }) => (
  <Facts
    facts={Object.entries(of)
      .filter(([, value]) => value !== null)
      .map(
        ([name, value]) => [wordsOf(name), <Value key={name} of={value} isOurs={isOurs || name === ours} />] as const,
      )}
  />
);

/** "advisoriesAsOf" as "Advisories as of" */
function wordsOf(name: string): string {
  const words = name
    .replaceAll('_', ' ')
    .replaceAll(/([a-z])([A-Z])/g, (_, end, begin) => `${end} ${begin.toLowerCase()}`);
  return words[0].toUpperCase() + words.slice(1);
}

function Value({ of, isOurs }: { of: unknown; isOurs: boolean }): ReactNode {
  if (Array.isArray(of)) return <Values of={of} isOurs={isOurs} />;
  if (typeof of === 'object' && of !== null) return <Evidence of={of as Record<string, unknown>} isOurs={isOurs} />;
  const text = typeof of === 'boolean' ? (of ? 'yes' : 'no') : String(of);
  if (isOurs && text.startsWith('https://'))
    return (
      <Anchor href={text} target="_blank" rel="noreferrer" size="sm">
        {text}
      </Anchor>
    );
  return (
    <Text span size="sm">
      <Untrusted text={text} />
    </Text>
  );
}

const Values = ({ of, isOurs }: { of: readonly unknown[]; isOurs: boolean }) =>
  of.length === 0 ? (
    'none'
  ) : (
    <List size="sm" spacing="xs">
      {of.map((each, at) => (
        <List.Item key={at}>
          <Value of={each} isOurs={isOurs} />
        </List.Item>
      ))}
    </List>
  );

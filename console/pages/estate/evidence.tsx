import { Anchor, List, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Facts } from '../../kit/facts.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';

/** Advisories come with the release, so their links are trusted. Other evidence may come from a file. */
const trustedName = 'advisories';

/** The evidence of a finding: names, values, and lists of both. */
export const Evidence = ({ of, isTrusted = false }: { of: Record<string, unknown>; isTrusted?: boolean }) => (
  <Facts
    facts={Object.entries(of)
      .filter(([, value]) => value !== null)
      .map(
        ([name, value]) =>
          [labelOf(name), <Value key={name} of={value} isTrusted={isTrusted || name === trustedName} />] as const,
      )}
  />
);

/** "advisoriesAsOf" as "Advisories as of" */
function labelOf(name: string): string {
  const words = name
    .replaceAll('_', ' ')
    .replaceAll(/([a-z])([A-Z])/g, (_, end, begin) => `${end} ${begin.toLowerCase()}`);
  return words[0].toUpperCase() + words.slice(1);
}

function Value({ of, isTrusted }: { of: unknown; isTrusted: boolean }): ReactNode {
  if (Array.isArray(of)) return <Values of={of} isTrusted={isTrusted} />;
  if (typeof of === 'object' && of !== null)
    return <Evidence of={of as Record<string, unknown>} isTrusted={isTrusted} />;
  const text = typeof of === 'boolean' ? (of ? 'Yes' : 'No') : String(of);
  if (isTrusted && text.startsWith('https://'))
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

const Values = ({ of, isTrusted }: { of: readonly unknown[]; isTrusted: boolean }) =>
  of.length === 0 ? (
    'None'
  ) : (
    <List size="sm" spacing="xs">
      {of.map((item, at) => (
        <List.Item key={at}>
          <Value of={item} isTrusted={isTrusted} />
        </List.Item>
      ))}
    </List>
  );

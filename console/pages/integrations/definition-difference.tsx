import { Title } from '@mantine/core';
import { TextDifference } from '../../kit/text-difference.tsx';

type Definition = Record<string, unknown>;

const names: Record<string, string> = {
  name: 'Name',
  title: 'Title',
  description: 'Description',
  inputSchema: 'Input schema',
  outputSchema: 'Output schema',
  annotations: 'Server annotations',
  server: 'Server',
};

const textOf = (value: unknown): string => {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
};

/** The parts that differ between the confirmed and the current definition of a tool. */
export function DefinitionDifference({ before, now }: { before: unknown; now: unknown }) {
  const [old, current] = [(before ?? {}) as Definition, (now ?? {}) as Definition];
  const parts = [...new Set([...Object.keys(names), ...Object.keys(old), ...Object.keys(current)])];
  return parts
    .map((part) => ({ part, was: textOf(old[part]), is: textOf(current[part]) }))
    .filter(({ was: before, is: now }) => before !== now)
    .map(({ part, was: before, is: now }) => (
      <section key={part} aria-label={names[part] ?? part}>
        <Title order={3} mt="md" mb="xs">
          {names[part] ?? part}
        </Title>
        <TextDifference before={before} now={now} heads={['Confirmed', 'Current']} />
      </section>
    ));
}

import { Text, Title } from '@mantine/core';
import { comparedText, type Gap, type Piece, type Row } from '../../../src/console/compared-text.ts';
import { Untrusted } from '../../kit/untrusted.tsx';
import './definition-difference.css';

type Definition = Record<string, unknown>;

const names: Record<string, string> = {
  name: 'Name',
  title: 'Title',
  description: 'Description',
  inputSchema: 'Arguments',
  outputSchema: 'Result',
  annotations: 'What the server claims about it',
  server: 'Server',
};

const textOf = (value: unknown): string => {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
};

/** Two definitions of one tool, part by part, the parts that differ only: as it was confirmed, and as it is. */
export function DefinitionDifference({ before, now }: { before: unknown; now: unknown }) {
  const [old, current] = [(before ?? {}) as Definition, (now ?? {}) as Definition];
  const parts = [...new Set([...Object.keys(names), ...Object.keys(old), ...Object.keys(current)])];
  return parts
    .map((part) => ({ part, was: textOf(old[part]), is: textOf(current[part]) }))
    .filter(({ was, is }) => was !== is)
    .map(({ part, was, is }) => (
      <section key={part} aria-label={names[part] ?? part}>
        <Title order={3} mt="md" mb="xs">
          {names[part] ?? part}
        </Title>
        <table className="difference">
          <thead>
            <tr>
              <th scope="col">As it was confirmed</th>
              <th scope="col">As it is now</th>
            </tr>
          </thead>
          <tbody>
            {comparedText(was, is).map((line, at) => (
              <Line key={at} of={line} />
            ))}
          </tbody>
        </table>
      </section>
    ));
}

const Line = ({ of }: { of: Row | Gap }) =>
  'left' in of ? (
    <tr>
      <td colSpan={2}>
        <Text size="xs" c="dimmed">
          {of.left} lines that did not change
        </Text>
      </td>
    </tr>
  ) : (
    <tr data-same={of.isSame || undefined}>
      <td data-label="Was">
        <Pieces of={of.before} as="del" />
      </td>
      <td data-label="Is">
        <Pieces of={of.after} as="ins" />
      </td>
    </tr>
  );

const Pieces = ({ of, as: Changed }: { of: Piece[] | null; as: 'del' | 'ins' }) =>
  of && (
    <code>
      {of.map(({ text, isOther }, at) =>
        isOther ? (
          <Changed key={at}>
            <Untrusted text={text} />
          </Changed>
        ) : (
          <Untrusted key={at} text={text} />
        ),
      )}
    </code>
  );

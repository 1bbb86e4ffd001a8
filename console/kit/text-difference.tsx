import { Text } from '@mantine/core';
import { diffLines, type DiffGap, type DiffSegment, type DiffRow } from '../../src/console/line-diff.ts';
import { Untrusted } from './untrusted.tsx';
import './text-difference.css';

interface Props {
  before: string;
  now: string;
  /** Column headers: "Before", "After". */
  heads: readonly [string, string];
}

/** Side-by-side diff of two texts, with changes within a line marked. */
export const TextDifference = ({ before, now, heads: [left, right] }: Props) => (
  <table className="difference">
    <thead>
      <tr>
        <th scope="col">{left}</th>
        <th scope="col">{right}</th>
      </tr>
    </thead>
    <tbody>
      {diffLines(before, now).map((line, at) => (
        <Line key={at} of={line} />
      ))}
    </tbody>
  </table>
);

const Line = ({ of }: { of: DiffRow | DiffGap }) =>
  'left' in of ? (
    <tr>
      <td colSpan={2}>
        <Text size="xs" c="dimmed">
          {of.left} unchanged lines
        </Text>
      </td>
    </tr>
  ) : (
    <tr data-same={of.isSame || undefined}>
      <td data-label="Before">
        <Pieces of={of.before} as="del" />
      </td>
      <td data-label="After">
        <Pieces of={of.after} as="ins" />
      </td>
    </tr>
  );

const Pieces = ({ of, as: Changed }: { of: DiffSegment[] | null; as: 'del' | 'ins' }) =>
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

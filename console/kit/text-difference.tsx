import { Text } from '@mantine/core';
import { comparedText, type Gap, type Piece, type Row } from '../../src/console/line-diff.ts';
import { Untrusted } from './untrusted.tsx';
import './text-difference.css';

interface Props {
  before: string;
  now: string;
  /** What the two are: "As it was", "As it is now". */
  heads: readonly [string, string];
}

/** Two texts side by side, line by line; what changed within a line is marked. */
export const TextDifference = ({ before, now, heads: [left, right] }: Props) => (
  <table className="difference">
    <thead>
      <tr>
        <th scope="col">{left}</th>
        <th scope="col">{right}</th>
      </tr>
    </thead>
    <tbody>
      {comparedText(before, now).map((line, at) => (
        <Line key={at} of={line} />
      ))}
    </tbody>
  </table>
);

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

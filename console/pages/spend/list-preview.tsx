import { Alert, Badge, Button, Checkbox, Group, List, Stack, Table, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import type { Problem } from '../../api/problem.ts';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { Section } from '../../kit/section.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';

export const listPreview = graphql(`
  fragment ListPreview on SpendPeopleImport @_unmask {
    hash
    addedCount
    changedCount
    faultCount
    unchanged
    ignoredColumns
    newUnits {
      kind
      name
    }
    faults(first: 200) {
      line
      column
      reason
    }
    added(first: 200) {
      ...ListLine
    }
    changed(first: 200) {
      ...ListLine
    }
  }
  fragment ListLine on SpendPeopleImportLine @_unmask {
    line
    email
    name
    note
    changes {
      field
      from
      to
    }
  }
`);
export type Preview = ResultOf<typeof listPreview>;
type Line = Preview['added'][number];

interface Props {
  preview: Preview;
  problem: Problem | null;
  isApplying: boolean;
  onApply(skipsFaulty: boolean): void;
  onRefresh(): void;
}

/** The changes of an import, line by line. Applies exactly these changes, or none. */
export function ListPreview({ preview, problem, isApplying, onApply, onRefresh }: Props) {
  const { addedCount, changedCount, faultCount, unchanged } = preview;
  const [skipsFaulty, setSkipsFaulty] = useState(false);
  const count = addedCount + changedCount;
  return (
    <Section
      title="Preview"
      lead={`New: ${addedCount.toLocaleString('en')}, changed: ${changedCount.toLocaleString('en')}, unchanged: ${unchanged.toLocaleString('en')}.`}
    >
      <Stack>
        {problem && (
          <ProblemNote problem={problem} retry={problem.code === 'spend-list-changed' ? onRefresh : undefined} />
        )}
        {preview.newUnits.length > 0 && <NewUnits {...preview} />}
        {preview.ignoredColumns.length > 0 && (
          <Text size="sm" c="dimmed">
            Ignored columns: <Untrusted text={preview.ignoredColumns.join(', ')} />
          </Text>
        )}
        {faultCount > 0 && <Faults {...preview} />}
        <Lines title="New" lines={preview.added} count={addedCount} />
        <Lines title="Changed" lines={preview.changed} count={changedCount} />
        {faultCount > 0 && count > 0 && (
          <Checkbox
            label="Skip lines with errors and apply the others"
            checked={skipsFaulty}
            onChange={({ currentTarget }) => setSkipsFaulty(currentTarget.checked)}
          />
        )}
        <Group>
          <Button
            disabled={!count || (faultCount > 0 && !skipsFaulty)}
            loading={isApplying}
            onClick={() => onApply(skipsFaulty)}
          >
            Apply changes to {people(count)}
          </Button>
        </Group>
      </Stack>
    </Section>
  );
}

const people = (count: number) => (count === 1 ? '1 person' : `${count.toLocaleString('en')} people`);

const NewUnits = ({ newUnits }: Preview) => (
  <Alert
    variant="light"
    color="yellow"
    icon={<IconAlertTriangle aria-hidden />}
    title="New groups and cost centres. Check the spelling."
  >
    <Group gap="xs">
      {newUnits.map(({ kind, name }) => (
        <Badge key={kind + name} color="gray" size="lg">
          {kind === 'group' ? 'Group' : 'Cost centre'} <Untrusted text={name} />
        </Badge>
      ))}
    </Group>
  </Alert>
);

const Faults = ({ faults, faultCount }: Preview) => (
  <Alert
    variant="light"
    color="red"
    icon={<IconAlertTriangle aria-hidden />}
    title={faultCount === 1 ? '1 error' : `${faultCount.toLocaleString('en')} errors`}
  >
    <List size="sm">
      {faults.map(({ line, column, reason }, at) => (
        <List.Item key={at}>
          Line {line}
          {column && (
            <>
              , <Untrusted text={column} />
            </>
          )}
          : <Untrusted text={reason} />
        </List.Item>
      ))}
    </List>
    <More shown={faults.length} of={faultCount} />
  </Alert>
);

const More = ({ shown, of }: { shown: number; of: number }) =>
  of > shown && (
    <Text size="xs" c="dimmed" mt={4}>
      and {(of - shown).toLocaleString('en')} more
    </Text>
  );

const fields: Record<Line['changes'][number]['field'], string> = {
  name: 'Name',
  group: 'Group',
  cost_centre: 'Cost centre',
  alias: 'Alias',
};

function Lines({ title, lines, count }: { title: string; lines: readonly Line[]; count: number }): ReactNode {
  if (!count) return null;
  return (
    <div>
      <Table.ScrollContainer minWidth={480} scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': title } }}>
        <Table verticalSpacing={6} aria-label={title}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w="4rem">Line</Table.Th>
              <Table.Th>{title}</Table.Th>
              <Table.Th>Changes</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {lines.map((line) => (
              <Table.Tr key={line.line}>
                <Table.Td className="figures">{line.line}</Table.Td>
                <Table.Td>
                  <Untrusted text={line.name} />
                  <Text size="xs" c="dimmed">
                    <Untrusted text={line.email} />
                  </Text>
                </Table.Td>
                <Table.Td>
                  <Changes {...line} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <More shown={lines.length} of={count} />
    </div>
  );
}

const Changes = ({ changes, note }: Line) => (
  <>
    {changes.map(({ field, from, to }, at) => (
      <Text key={at} size="sm">
        {fields[field]}:{' '}
        {from !== null && (
          <>
            <s>
              <Untrusted text={from} />
            </s>{' '}
            →{' '}
          </>
        )}
        {to === null ? 'None' : <Untrusted text={to} />}
      </Text>
    ))}
    {note && (
      <Text size="xs" c="dimmed">
        <Untrusted text={note} />
      </Text>
    )}
  </>
);

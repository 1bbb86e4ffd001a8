import { Box, Table, Text, Title } from '@mantine/core';
import { useQuery } from 'urql';
import { graphql } from '../../api/graphql.ts';
import { count, dollars } from '../../kit/figures.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { When } from '../../kit/when.tsx';
import type { CoveredDay } from './coverage-query.ts';
import { dayName } from './period.ts';

const revisionsQuery = graphql(`
  query SpendRevisions($connectionId: ID!, $day: String!) {
    spendRevisions(connectionId: $connectionId, from: $day, to: $day) {
      revision
      recordedAt
      rowsAdded
      rowsChanged
      rowsRemoved
      chargedCentsBefore
      chargedCentsAfter
    }
  }
`);

const streams = [
  { name: 'usage', label: 'Activity by person' },
  { name: 'events', label: 'Tokens and cost' },
] as const;

/** The synced data of one day, and later corrections of the vendor. */
export function DayDetail({ connectionId, day }: { connectionId: string; day: CoveredDay }) {
  const [result, refetch] = useQuery({ query: revisionsQuery, variables: { connectionId, day: day.day } });
  return (
    <Box mt="md" component="section" aria-label={dayName(day.day)}>
      <Title order={3} mb="xs">
        {dayName(day.day)}
      </Title>
      <Table.ScrollContainer
        minWidth={520}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': 'Data streams' } }}
      >
        <Table verticalSpacing={6} className="figures">
          <Table.Thead>
            <Table.Tr>
              {['', 'Status', 'Rows', 'Vendor count', 'Synced', 'Unrecognized'].map((label) => (
                <Table.Th key={label}>{label}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {streams.map(({ name, label }) => (
              <Stream key={name} label={label} {...day[name]} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Loaded result={result} refetch={refetch}>
        {({ spendRevisions }) =>
          spendRevisions.length > 0 && (
            <Box component="ul" m={0} mt="xs" pl="lg">
              {spendRevisions.map(({ revision, recordedAt, rowsAdded, rowsChanged, rowsRemoved, ...cents }) => (
                <Text key={revision} component="li" size="sm" className="figures">
                  Corrected <When at={recordedAt} />: rows added: {rowsAdded}, changed: {rowsChanged}, removed:{' '}
                  {rowsRemoved}; cost changed from {dollars(cents.chargedCentsBefore)} to{' '}
                  {dollars(cents.chargedCentsAfter)}
                </Text>
              ))}
            </Box>
          )
        }
      </Loaded>
    </Box>
  );
}

const Stream = ({
  label,
  state,
  rows,
  vendorTotal,
  pulledAt,
  reason,
  faultyRows,
  unknownFields,
}: CoveredDay['usage'] & { label: string }) => (
  <Table.Tr>
    <Table.Td>
      {label}
      {reason && (
        <Text size="xs" c="dimmed">
          {reason}
        </Text>
      )}
    </Table.Td>
    <Table.Td>
      <StateBadge state={state} />
    </Table.Td>
    <Table.Td>{count(rows)}</Table.Td>
    <Table.Td>{count(vendorTotal)}</Table.Td>
    <Table.Td>
      <When at={pulledAt} never="Not synced" />
    </Table.Td>
    <Table.Td>{faultyRows + unknownFields === 0 ? 'None' : `Values: ${faultyRows}, fields: ${unknownFields}`}</Table.Td>
  </Table.Tr>
);

import { Text } from '@mantine/core';
import { IconActivity } from '@tabler/icons-react';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { Empty } from '../../kit/empty.tsx';
import { type Column, Rows } from '../../kit/rows.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { usePages } from '../../kit/use-pages.ts';
import { When } from '../../kit/when.tsx';
import { callStateName } from '../../features/tasks/states.ts';
import { CallerName } from './caller-name.tsx';

const query = graphql(`
  query ConfigurationCalls($id: ID!, $first: Int!, $after: String) {
    toolCalls(configurationId: $id, first: $first, after: $after) {
      nodes {
        id
        tool
        effect
        state
        code
        reason
        policyIds
        policyRevision
        caller
        requestedAt
      }
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

type CallRow = ResultOf<typeof query>['toolCalls']['nodes'][number];

const columns: Column<CallRow>[] = [
  {
    label: 'Tool',
    cell: ({ tool }) => (
      <Text size="sm" ff="monospace">
        <Untrusted text={tool} />
      </Text>
    ),
    width: '26%',
  },
  { label: 'State', cell: ({ state }) => <StateBadge state={state} label={callStateName(state)} />, width: '12rem' },
  { label: 'Decision', cell: (row) => <CallDecision row={row} /> },
  { label: 'Caller', cell: ({ caller }) => <CallerName caller={caller} />, isMinor: true },
  { label: 'Requested', cell: ({ requestedAt }) => <When at={requestedAt} />, width: '9rem' },
];

/** The policies that decided, and the reason if the call did not run. */
const CallDecision = ({ row: { policyIds, policyRevision, reason } }: { row: CallRow }) => (
  <>
    {policyIds.length > 0 && (
      <span>
        <Untrusted text={policyIds.join(', ')} />
        {policyRevision !== null && ` (revision ${policyRevision})`}
      </span>
    )}
    {reason && (
      <Text size="xs" c="dimmed" lineClamp={2}>
        <Untrusted text={reason} />
      </Text>
    )}
  </>
);

export function Calls({ configurationId }: { configurationId: string }) {
  const pages = usePages({
    query,
    variables: { id: configurationId },
    pick: ({ toolCalls }) => toolCalls,
    news: ['call', 'approval'],
  });
  return (
    <Rows
      label="Tool calls"
      pages={pages}
      columns={columns}
      keyOf={({ id }) => id}
      to={({ id }) => `/calls/${id}`}
      empty={
        <Empty icon={IconActivity} title="No calls yet">
          Calls that agents, assistants, and products make through this configuration appear here, including denied
          calls.
        </Empty>
      }
    />
  );
}

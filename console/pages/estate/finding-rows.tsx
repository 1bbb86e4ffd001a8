import { Stack, Text } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { graphql, type ResultOf, type VariablesOf } from '../../api/graphql.ts';
import { Empty } from '../../kit/empty.tsx';
import { type Column, Rows } from '../../kit/rows.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { type Pages, usePages } from '../../kit/use-pages.ts';
import { When } from '../../kit/when.tsx';
import { ruleNames } from './words.ts';

export const findingNode = graphql(`
  fragment FindingNode on EstateFinding @_unmask {
    id
    rule
    severity
    state
    reason
    path
    serverName
    lastSeen
  }
`);
const findingsQuery = graphql(
  `
    query EstateFindings(
      $state: EstateFindingState
      $severities: [EstateSeverity!]
      $rules: [EstateFindingRule!]
      $fileId: ID
      $serverId: ID
      $first: Int!
      $after: String
    ) {
      estateFindings(
        state: $state
        severities: $severities
        rules: $rules
        fileId: $fileId
        serverId: $serverId
        first: $first
        after: $after
      ) {
        nodes {
          ...FindingNode
        }
        totalCount
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [findingNode],
);
export type FindingNode = ResultOf<typeof findingNode>;
type Filter = Omit<VariablesOf<typeof findingsQuery>, 'first' | 'after'>;

interface Props {
  filter: Filter;
  /** Instead of an empty list. */
  empty?: ReactNode;
}

/** Findings, the worst first. */
export function FindingRows({ filter, empty = nothingFound }: Props) {
  const pages = usePages({
    query: findingsQuery,
    variables: { state: 'open', ...filter } satisfies Filter as Filter,
    pick: ({ estateFindings }) => estateFindings,
    news: 'estate',
  });
  return <FindingTable pages={pages} empty={empty} />;
}

export const FindingTable = ({ pages, empty }: { pages: Pages<FindingNode>; empty: ReactNode }) => (
  <Rows
    label="Findings"
    pages={pages}
    keyOf={({ id }) => id}
    to={({ id }) => `/estate/findings/${id}`}
    columns={columns}
    empty={empty}
  />
);

const nothingFound = (
  <Empty icon={IconShieldCheck} title="Nothing was found">
    Everything that is known was looked at.
  </Empty>
);

const columns: readonly Column<FindingNode>[] = [
  {
    label: 'Finding',
    width: '56%',
    cell: ({ rule, reason }) => (
      <Stack gap={2} ta="start">
        <span>{ruleNames[rule]}</span>
        <Text size="xs" c="dimmed" fw={400} lineClamp={2}>
          <Untrusted text={reason} />
        </Text>
      </Stack>
    ),
  },
  { label: 'Severity', cell: ({ severity }) => <StateBadge state={severity} /> },
  {
    label: 'Where',
    cell: ({ path, serverName }) => (
      <Stack gap={2}>
        {serverName && <Untrusted text={serverName} />}
        {path && (
          <Text size="xs" c="dimmed">
            <Untrusted text={path} />
          </Text>
        )}
        {!serverName && !path && '–'}
      </Stack>
    ),
  },
  { label: 'Last seen', isMinor: true, cell: ({ lastSeen }) => <When at={lastSeen} /> },
];

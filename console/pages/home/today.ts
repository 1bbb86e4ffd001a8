import { useState } from 'react';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useNews } from '../../api/live.ts';
import { useMay } from '../../app/me.tsx';
import { daysOfMonths } from './days-of-months.ts';

const query = graphql(`
  query Home(
    $isAdministrator: Boolean!
    $isConfigurer: Boolean!
    $isReader: Boolean!
    $isSpender: Boolean!
    $isKeeper: Boolean!
    $thisFrom: String!
    $thisTo: String!
    $lastFrom: String!
    $lastTo: String!
    $lastEnd: String!
  ) {
    approvals(isPending: true, first: 50) {
      totalCount
      nodes {
        id
        isOpenToMe
        tool
        expiresAt
        call {
          callId
          title
        }
      }
    }
    waiting: tasks(state: INPUT_REQUIRED, first: 3) {
      totalCount
      nodes {
        ...HomeTask
      }
    }
    failed: tasks(state: FAILED, first: 3) {
      totalCount
      nodes {
        ...HomeTask
      }
    }
    unsettled: toolCalls(state: unsettled, first: 3) @include(if: $isReader) {
      totalCount
      nodes {
        id
        tool
        taskId
      }
    }
    connections(first: 200) @include(if: $isAdministrator) {
      totalCount
      nodes {
        id
        name
        status
        pausedAt
      }
    }
    heldBackTools @include(if: $isAdministrator) {
      id
      connectionId
      name
    }
    configurations(first: 1) @include(if: $isConfigurer) {
      totalCount
    }
    estateFindings(severities: [critical], first: 1) @include(if: $isKeeper) {
      totalCount
    }
    thisMonth: spendReport(from: $thisFrom, to: $thisTo) @include(if: $isSpender) {
      total {
        chargedCents
      }
    }
    lastMonthSoFar: spendReport(from: $lastFrom, to: $lastTo) @include(if: $isSpender) {
      total {
        chargedCents
      }
    }
    lastMonth: spendReport(from: $lastFrom, to: $lastEnd) @include(if: $isSpender) {
      total {
        chargedCents
      }
    }
  }

  fragment HomeTask on Task @_unmask {
    id
    state
    isQuarantined
    status
    configurationName
    updatedAt
  }
`);

export type Today = ResultOf<typeof query>;

/** Everything on the home page. Roles decide which parts are loaded. */
export function useToday() {
  const may = useMay();
  const [days] = useState(() => daysOfMonths(new Date()));
  const variables = {
    ...days,
    isAdministrator: may('connections:manage'),
    isConfigurer: may('configurations:manage'),
    isReader: may('tasks:read') && may('calls:settle'),
    isSpender: may('spend:read'),
    isKeeper: may('estate:read'),
  };
  const [asked, again] = useQuery({ query, variables });
  useNews(['approval', 'task', 'call', 'connection', 'spend', 'estate', 'configuration'], () =>
    again({ requestPolicy: 'network-only' }),
  );
  return [asked, again] as const;
}

import { useState } from 'react';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useChangeEvents } from '../../api/change-events.ts';
import { useMay } from '../../kit/me.tsx';
import { monthRanges } from './month-ranges.ts';

const query = graphql(`
  query Home(
    $canManageConnections: Boolean!
    $canManageOrganization: Boolean!
    $canManageConfigurations: Boolean!
    $canResolveCalls: Boolean!
    $canReadSpend: Boolean!
    $canReadEstate: Boolean!
    $canReadPolicies: Boolean!
    $thisFrom: String!
    $thisTo: String!
    $lastFrom: String!
    $lastTo: String!
    $lastEnd: String!
  ) {
    approvalsToDecide(first: 50) {
      totalCount
      nodes {
        id
        tool
        expiresAt
        task {
          question
        }
        call {
          callId
          title
          caller
        }
      }
    }
    overridesToReview {
      id
      tool
      override {
        approvalId
        at
        by {
          name
        }
      }
    }
    proposedChanges(state: open, first: 5) @include(if: $canManageOrganization) {
      totalCount
      nodes {
        id
        title
        expiresAt
        proposer {
          name
        }
      }
    }
    decided: approvals(isPending: false, first: 5) {
      nodes {
        id
        state
        tool
        decidedAt
        createdAt
        decider {
          name
        }
        call {
          callId
          title
          caller
        }
      }
    }
    recent: tasks(first: 8) {
      nodes {
        ...HomeTask
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
    unsettled: toolCalls(state: unsettled, first: 3) @include(if: $canResolveCalls) {
      totalCount
      nodes {
        id
        tool
        taskId
      }
    }
    anyCall: toolCalls(first: 1) @include(if: $canResolveCalls) {
      nodes {
        id
      }
    }
    connections(first: 200) @include(if: $canManageConnections) {
      totalCount
      nodes {
        id
        name
        status
        pausedAt
      }
    }
    toolsPendingReview @include(if: $canManageConnections) {
      id
      connectionId
      name
    }
    configurations(first: 1) @include(if: $canManageConfigurations) {
      totalCount
    }
    reviewerStatus @include(if: $canManageConfigurations)
    configurationsWithoutReview @include(if: $canManageConfigurations)
    permitProposals(state: open, first: 3) @include(if: $canReadPolicies) {
      totalCount
      nodes {
        id
        tool
        configurationId
        configurationName
        principalName
      }
    }
    estateFindings(severities: [critical], first: 1) @include(if: $canReadEstate) {
      totalCount
    }
    spendBudgets(first: 100) @include(if: $canReadSpend) {
      nodes {
        id
        scope
        name
        amountCents
        standing {
          spentCents
          percent
        }
      }
    }
    thisMonth: spendReport(from: $thisFrom, to: $thisTo) @include(if: $canReadSpend) {
      total {
        chargedCents
      }
    }
    lastMonthSoFar: spendReport(from: $lastFrom, to: $lastTo) @include(if: $canReadSpend) {
      total {
        chargedCents
      }
    }
    lastMonth: spendReport(from: $lastFrom, to: $lastEnd) @include(if: $canReadSpend) {
      total {
        chargedCents
      }
    }
  }

  fragment HomeTask on Task @_unmask {
    id
    externalId
    question
    caller
    state
    isQuarantined
    status
    configurationName
    createdAt
    updatedAt
  }
`);

export type HomeData = ResultOf<typeof query>;

/** Everything on the home page. Roles decide which parts are loaded. */
export function useHomeData() {
  const may = useMay();
  const [ranges] = useState(() => monthRanges(new Date()));
  const variables = {
    ...ranges,
    canManageConnections: may('connections:manage'),
    canManageOrganization: may('organization:manage'),
    canManageConfigurations: may('configurations:manage'),
    canResolveCalls: may('tasks:read') && may('calls:settle'),
    canReadSpend: may('spend:read'),
    canReadEstate: may('estate:read'),
    canReadPolicies: may('policies:read'),
  };
  const [result, refetch] = useQuery({ query, variables });
  useChangeEvents(
    ['approval', 'task', 'call', 'connection', 'spend', 'estate', 'configuration', 'organization', 'policy'],
    () => refetch({ requestPolicy: 'network-only' }),
  );
  return [result, refetch] as const;
}

import { graphql, type ResultOf } from '../../api/graphql.ts';

export const coverageQuery = graphql(`
  query SpendCoverage($connectionId: ID!, $from: String!, $to: String!) {
    spendCoverage(connectionId: $connectionId, from: $from, to: $to) {
      day
      revision
      usage {
        ...StreamDay
      }
      events {
        ...StreamDay
      }
    }
  }
  fragment StreamDay on SpendStreamDay @_unmask {
    state
    rows
    vendorTotal
    pulledAt
    reason
    faultyRows
    unknownFields
  }
`);

export type CoveredDay = ResultOf<typeof coverageQuery>['spendCoverage'][number];

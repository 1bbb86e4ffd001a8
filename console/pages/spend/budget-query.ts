import { graphql, type ResultOf } from '../../api/graphql.ts';

export const budgetsQuery = graphql(`
  query SpendBudgets($month: String, $first: Int!, $after: String) {
    spendBudgets(first: $first, after: $after) {
      nodes {
        id
        scope
        name
        counts
        amountCents
        thresholds
        version
        standing(month: $month) {
          month
          spentCents
          remainingCents
          percent
          forecastCents
          alerts {
            threshold
            reachedAt
            spentCents
          }
          days {
            lost {
              from
              to
            }
          }
        }
      }
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export type Budget = ResultOf<typeof budgetsQuery>['spendBudgets']['nodes'][number];

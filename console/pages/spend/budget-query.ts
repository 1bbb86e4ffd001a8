import { graphql, type ResultOf } from '../../api/graphql.ts';
import { visible } from '../../kit/visible.ts';

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

export const scopeNames = {
  organization: 'Entire organization',
  group: 'Group',
  cost_centre: 'Cost centre',
  person: 'Person',
};

/** The scope of a budget, as plain text. */
export const titleOf = ({ scope, name }: Pick<Budget, 'scope' | 'name'>): string =>
  scope === 'organization' ? scopeNames.organization : visible(name ?? scopeNames[scope]);

import { graphql, type ResultOf } from '../../../api/graphql.ts';

export const proposalsQuery = graphql(`
  query PermitProposals($configurationId: ID!) {
    open: permitProposals(configurationId: $configurationId, state: open) {
      nodes {
        id
        tool
        principalKind
        principalName
        stepName
        permit {
          text
          obstacle
        }
        approvals {
          id
          decidedAt
          deciderName
        }
      }
    }
    dismissed: permitProposals(configurationId: $configurationId, state: dismissed) {
      totalCount
      nodes {
        id
        tool
        principalName
        closedAt
        closer
      }
    }
  }
`);

type Proposals = ResultOf<typeof proposalsQuery>;
export type OpenProposal = Proposals['open']['nodes'][number];
export type DismissedProposal = Proposals['dismissed']['nodes'][number];

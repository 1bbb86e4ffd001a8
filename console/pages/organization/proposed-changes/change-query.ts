import { graphql, type ResultOf } from '../../../api/graphql.ts';

export const changeQuery = graphql(`
  query ProposedChange($id: ID!) {
    proposedChange(id: $id) {
      id
      kind
      title
      state
      reason
      proposedBy
      proposedAt
      expiresAt
      decidedAt
      decisionNote
      confirmationRefusal
      fields {
        label
        before
        after
      }
      proposer {
        name
      }
      decider {
        name
      }
    }
  }
`);
export type Change = ResultOf<typeof changeQuery>['proposedChange'];

export const confirmChange = graphql(`
  mutation ConfirmProposedChange($input: ProposedChangeInput!) {
    confirmProposedChange(input: $input) {
      id
      state
    }
  }
`);
export const declineChange = graphql(`
  mutation DeclineProposedChange($input: ProposedChangeReasonInput!) {
    declineProposedChange(input: $input) {
      id
      state
    }
  }
`);
export const withdrawChange = graphql(`
  mutation WithdrawProposedChange($input: ProposedChangeInput!) {
    withdrawProposedChange(input: $input) {
      id
      state
    }
  }
`);

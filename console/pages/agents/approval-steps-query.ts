import { graphql, type ResultOf } from '../../api/graphql.ts';

export const approvalStepsQuery = graphql(`
  query ApprovalSteps {
    approvalSteps {
      name
      tier
      approverGroupId
      quorum
      position
      escalatesAfterSeconds
      escalationGroupId
      expiresAfterSeconds
      decidableInSlack
      requiresPasskey
      passkeyWarning
      allowsEdit
      taskGrantMaxUses
    }
  }
`);

export type ApprovalStep = ResultOf<typeof approvalStepsQuery>['approvalSteps'][number];

import { graphql, type ResultOf } from '../../api/graphql.ts';

export const callQuery = graphql(`
  query Call($id: ID!, $canSeeApprovals: Boolean!) {
    toolCall(id: $id) {
      id
      tool
      effect
      state
      code
      reason
      caller
      taskId
      configurationId
      configurationName
      connectionId
      policyIds
      policyRevision
      narrowedBy
      steps
      taskGrantId
      editedBy
      attempts
      redactedArguments
      arguments
      requestedAt
      endedAt
      settlement
      definitionHash
      resultHash
      resultNotice {
        action
        found {
          kind
          count
        }
      }
      events {
        at
        kind
        attempt
        milliseconds
        actorName
      }
    }
    approvals(callId: $id, first: 100) @include(if: $canSeeApprovals) {
      nodes {
        id
        stepName
        state
        quorum
        approvedBy {
          id
          name
        }
        decider {
          name
        }
        decidedAt
        overriddenBy
        selfApproved
        reason
      }
    }
  }
`);

type CallData = ResultOf<typeof callQuery>;
export type CallRecord = CallData['toolCall'];
export type CallApproval = NonNullable<CallData['approvals']>['nodes'][number];

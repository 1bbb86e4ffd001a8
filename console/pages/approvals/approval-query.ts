import { graphql, type ResultOf } from '../../api/graphql.ts';

export const approvalQuery = graphql(`
  query Approval($id: ID!) {
    approval(id: $id) {
      id
      configurationId
      taskId
      task {
        id
        externalId
        question
      }
      tool
      stepName
      stepNumber
      stepCount
      steps {
        approvalId
        stepName
        stepNumber
        state
        isVisible
      }
      tier
      approverGroupName
      state
      requesters
      requestedBy {
        id
        name
      }
      selfApproved
      createdAt
      blockedTaskCount
      openedAt
      escalatesAt
      escalatedAt
      escalationGroupName
      expiresAt
      decidedAt
      decider {
        name
      }
      deciderFor {
        name
      }
      decidedInSlack
      requiresPasskey
      reason
      viewerCanDecide
      isEditable
      successorId
      taskGrantMaxUses
      taskGrant {
        id
        tool
        state
        equalArguments
        freeArguments
        maxUses
        uses
        expiresAfterSeconds
        expiresAt
        endReason
        approvedBy {
          id
          name
        }
        viewerCanRevoke
      }
      viewerCanOverride
      override {
        approvalId
        reason
        at
        reviewedAt
        reviewNote
        reviewRefusal
        by {
          name
        }
        reviewer {
          name
        }
      }
      quorum
      approvedBy {
        id
        name
        substituteFor {
          name
        }
      }
      round
      candidates {
        id
        name
        substituteFor
        mayDecide
        needsPasskey
        reason
        nextStep
      }
      call {
        callId
        tool
        title
        description
        inputSchema
        definitionHash
        effect
        arguments
        argumentsHash
        caller
        tainted
        policyIds
        policyRevision
        state
        reason
        edits {
          editorId
          editorName
          editedAt
          changes {
            pointer
            before
            after
            mayBeSecret
          }
        }
        configurationName
        connection {
          name
          kind
          destination {
            label
            value
          }
        }
      }
      earlier {
        id
        state
        decidedAt
        reason
        decider {
          name
        }
        call {
          argumentsHash
        }
      }
    }
  }
`);

export type Approval = ResultOf<typeof approvalQuery>['approval'];
export type ApprovalCall = Approval['call'];

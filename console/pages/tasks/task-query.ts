import { graphql, type ResultOf } from '../../api/graphql.ts';

export const taskQuery = graphql(`
  query Task($id: ID!) {
    task(id: $id) {
      id
      externalId
      question
      state
      isQuarantined
      status
      caller
      configurationId
      configurationName
      artifacts
      turns
      isTainted
      createdAt
      timeline {
        at
        kind
        state
        text
        calls {
          ref
          tool
          callId
        }
      }
      calls {
        id
        refs
        tool
        effect
        state
        policyIds
        steps
        policyRevision
        reason
        code
        attempts
        redactedArguments
        arguments
        endedAt
        settlement
        taskGrantId
        editedBy
      }
      taskGrants {
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
    }
    approvals(taskId: $id, first: 100) {
      nodes {
        id
        callId
        stepName
        state
        decidedAt
        overriddenBy
        viewerCanDecide
        decider {
          name
        }
      }
    }
  }
`);

type TaskData = ResultOf<typeof taskQuery>;
export type Task = TaskData['task'];
export type TimelineEntry = Task['timeline'][number];
export type Call = Task['calls'][number];
export type TaskApproval = TaskData['approvals']['nodes'][number];

/** The requested input or the error of a task, as published to callers (WIRE.md). */
export interface TaskStatusDetail {
  message?: { parts: { text?: string }[] };
  metadata?: { reason?: string; approvalId?: string; tool?: string; expiresAt?: string; missing?: string[] };
  error?: { code: string; detail: string };
}

/** Who submitted the task. */
export interface TaskCaller {
  kind: string;
  name: string;
  memberId?: string;
  surface: string;
  chain: { kind: string; id: string; name: string }[];
}

import { graphql, type ResultOf } from '../../../api/graphql.ts';

const shadowFields = graphql(`
  fragment ShadowFields on PolicyShadow @_unmask {
    text
    revision
    starter
    startedAt
    stoppedAt
    stopReason
    calls
    notEvaluated
    changes {
      tool
      before {
        verdict
        steps
      }
      after {
        verdict
        steps
      }
      calls
      examples {
        callId
        taskId
        caller
        requestedAt
        reason
      }
    }
  }
`);
export const shadowQuery = graphql(
  `
    query PolicyShadow($id: ID!) {
      policyShadow(configurationId: $id) {
        ...ShadowFields
      }
    }
  `,
  [shadowFields],
);
export const startShadow = graphql(
  `
    mutation StartPolicyShadow($input: StartPolicyShadowInput!) {
      startPolicyShadow(input: $input) {
        ...ShadowFields
      }
    }
  `,
  [shadowFields],
);
export const stopShadow = graphql(
  `
    mutation StopPolicyShadow($input: StopPolicyShadowInput!) {
      stopPolicyShadow(input: $input) {
        ...ShadowFields
      }
    }
  `,
  [shadowFields],
);
export type Shadow = NonNullable<ResultOf<typeof shadowQuery>['policyShadow']>;

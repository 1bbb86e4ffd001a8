import { graphql, type ResultOf } from '../../../api/graphql.ts';

export const explainCallQuery = graphql(`
  query ExplainCall(
    $configurationId: ID!
    $callerKind: CallerKind!
    $callerId: ID!
    $tool: String!
    $arguments: String!
    $tainted: Boolean!
    $text: String
  ) {
    explainCall(
      configurationId: $configurationId
      callerKind: $callerKind
      callerId: $callerId
      tool: $tool
      arguments: $arguments
      tainted: $tainted
      text: $text
    ) {
      verdict
      steps
      code
      reason
      faults {
        pointer
        detail
      }
      isHidden
      revision
      policies {
        id
        effect
        step
        text
      }
      approvalSteps {
        name
        isReachable
        step {
          quorum
        }
        candidates {
          id
          name
          mayDecide
          reason
        }
      }
    }
  }
`);
export type Explanation = ResultOf<typeof explainCallQuery>['explainCall'];

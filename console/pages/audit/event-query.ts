import { graphql, type ResultOf } from '../../api/graphql.ts';

export const eventsQuery = graphql(`
  query AuditEvents(
    $kind: String
    $actorId: ID
    $subjectId: ID
    $search: String
    $from: DateTime
    $to: DateTime
    $first: Int!
    $after: String
  ) {
    auditEvents(
      kind: $kind
      actorId: $actorId
      subjectId: $subjectId
      search: $search
      from: $from
      to: $to
      first: $first
      after: $after
    ) {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        id
        at
        kind
        actor
        subject
      }
    }
  }
`);

export const eventQuery = graphql(`
  query AuditEvent($id: ID!) {
    auditEvent(id: $id) {
      id
      at
      kind
      actor
      subject
      detail
      requestId
    }
  }
`);

export type EventRow = ResultOf<typeof eventsQuery>['auditEvents']['nodes'][number];
export type AuditEvent = ResultOf<typeof eventQuery>['auditEvent'];

/** Who acted, as recorded. The record outlives the member, key, and client that it names. */
export interface Actor {
  kind: 'member' | 'agent' | 'system';
  name: string;
  memberId?: string;
  agentId?: string;
  configurationId?: string;
  keyId?: string;
  clientId?: string;
  surface: string;
  /** The delegation chain, starting with the person. */
  chain?: { kind: string; id: string; name: string }[];
}

/** The record that the event is about. */
export interface Subject {
  type: string;
  id: string;
  name?: string;
}

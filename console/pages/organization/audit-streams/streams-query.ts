import { graphql, type ResultOf } from '../../../api/graphql.ts';

export const streamsQuery = graphql(`
  query AuditStreams {
    auditStreams {
      id
      name
      kind
      target
      pausedAt
      sentCount
      skippedCount
      rejectedCount
      stoppedAt
      lastSentAt
      attempts
      lastError
      lastErrorAt
      nextAttemptAt
      backlog {
        count
        since
      }
    }
  }
`);
export type Stream = ResultOf<typeof streamsQuery>['auditStreams'][number];

export const streamKindNames = {
  otlp: 'OpenTelemetry logs (OTLP)',
  syslog: 'Syslog over TLS',
  webhook: 'Signed webhook (JSON Lines)',
} as const;
export type StreamKind = keyof typeof streamKindNames;

import type { AuditStreamKind } from '../../src/audit-streams/audit-stream.entity.js';
import { TestSyslogServer } from './syslog-server.js';
import { type ReceivedRequest, WebhookTarget } from './webhook-target.js';

interface ReceivedEvent {
  id: string;
  kind: string;
  position: number;
}

/** One local receiver of each kind of audit stream. */
export class AuditReceivers {
  private constructor(
    readonly otlp: WebhookTarget,
    readonly webhook: WebhookTarget,
    readonly syslog: TestSyslogServer,
    /** Requests that were answered with success. */
    private readonly accepted: ReceivedRequest[] = [],
  ) {
    for (const target of [otlp, webhook])
      target.answer = (response, request) => {
        this.accepted.push(request);
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      };
  }

  static async start(): Promise<AuditReceivers> {
    return new AuditReceivers(
      ...(await Promise.all([WebhookTarget.start(), WebhookTarget.start(), TestSyslogServer.start()])),
    );
  }

  async close(): Promise<void> {
    await Promise.all([this.otlp.close(), this.webhook.close(), this.syslog.close()]);
  }

  /** The input of `createAuditStream`. */
  inputOf(kind: AuditStreamKind) {
    const { otlp, webhook, syslog } = this;
    if (kind === 'syslog') return { kind, address: `localhost:${syslog.port}`, caCertificate: syslog.ca };
    if (kind === 'webhook') return { kind, address: `${webhook.url}/audit` };
    return { kind, address: `${otlp.url}/v1/logs`, headers: [{ name: 'Authorization', value: 'Api-Token s3cret' }] };
  }

  /** The JSON lines that a receiver has accepted, in the order of their arrival. */
  linesOf(kind: AuditStreamKind): string[] {
    if (kind === 'syslog') return this.syslog.received.map(({ text }) => text);
    const bodies = this.accepted.filter(({ path }) => path === (kind === 'otlp' ? '/v1/logs' : '/audit'));
    if (kind === 'webhook') return bodies.flatMap(({ body }) => body.split('\n').filter(Boolean));
    return bodies.flatMap(({ body }) => logRecordsOf(body).map((record) => record.body.stringValue));
  }

  eventsOf(kind: AuditStreamKind): ReceivedEvent[] {
    return this.linesOf(kind)
      .map((line) => JSON.parse(line) as ReceivedEvent)
      .filter(({ position }) => position !== undefined);
  }

  /** The positions in the order in which each arrived first. */
  positionsOf(kind: AuditStreamKind): number[] {
    return [...new Set(this.eventsOf(kind).map(({ position }) => position))];
  }
}

export interface LogRecord {
  timeUnixNano: string;
  eventName: string;
  severityNumber: number;
  body: { stringValue: string };
  attributes: { key: string; value: { stringValue?: string; intValue?: string } }[];
}
export const logRecordsOf = (body: string): LogRecord[] =>
  (JSON.parse(body) as { resourceLogs: { scopeLogs: { logRecords: LogRecord[] }[] }[] }).resourceLogs[0].scopeLogs[0]
    .logRecords;

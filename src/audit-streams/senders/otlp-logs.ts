import type { SealedAuditEvent, SealedHead } from '../../audit/sealed-events.service.js';
import { eventLine, headKind, headLine, missingEventKind, type StreamBatch } from './stream-batch.js';

/* The JSON encoding of ExportLogsServiceRequest (opentelemetry-proto 1.x). */

const info = { severityNumber: 9, severityText: 'INFO' };
const warn = { severityNumber: 13, severityText: 'WARN' };

const text = (key: string, value: string | null | undefined) =>
  value === null || value === undefined ? [] : [{ key, value: { stringValue: value } }];
/** A 64-bit integer is a string in the JSON encoding. */
const integer = (key: string, value: number) => [{ key, value: { intValue: String(value) } }];
const nanoseconds = (time: string) => `${Date.parse(time)}000000`;

interface Actor {
  kind?: string;
  name?: string;
  memberId?: string;
  agentId?: string;
  surface?: string;
}
interface Subject {
  type?: string;
  id?: string;
  name?: string;
}

export function otlpLogsOf({ tenantId, events, heads }: StreamBatch, now = new Date()) {
  const observedTimeUnixNano = nanoseconds(now.toISOString());
  return {
    resourceLogs: [
      {
        resource: { attributes: [...text('service.name', 'countersign'), ...text('countersign.tenant.id', tenantId)] },
        scopeLogs: [
          {
            scope: { name: 'countersign.audit' },
            logRecords: [...events.map(eventRecord), ...heads.map(headRecord)].map((record) => ({
              observedTimeUnixNano,
              ...record,
            })),
          },
        ],
      },
    ],
  };
}

function eventRecord(event: SealedAuditEvent) {
  const actor = (event.actor ?? {}) as Actor;
  const subject = (event.subject ?? {}) as Subject;
  const kind = event.kind ?? missingEventKind;
  return {
    ...(event.at && { timeUnixNano: nanoseconds(event.at) }),
    ...(event.kind ? info : warn),
    eventName: kind,
    body: { stringValue: eventLine(event) },
    attributes: [
      ...text('event.name', kind),
      ...text('log.record.uid', event.id),
      ...integer('countersign.position', event.position),
      ...text('user.id', actor.memberId ?? actor.agentId),
      ...text('user.name', actor.name),
      ...text('countersign.actor.kind', actor.kind),
      ...text('countersign.surface', actor.surface),
      ...text('countersign.subject.type', subject.type),
      ...text('countersign.subject.id', subject.id),
      ...text('countersign.subject.name', subject.name),
      ...text('countersign.request.id', event.requestId),
    ],
  };
}

const headRecord = (head: SealedHead) => ({
  timeUnixNano: nanoseconds(head.at),
  ...info,
  eventName: headKind,
  body: { stringValue: headLine(head) },
  attributes: [
    ...text('event.name', headKind),
    ...text('log.record.uid', `head-${head.size}`),
    ...integer('countersign.position', head.size),
  ],
});

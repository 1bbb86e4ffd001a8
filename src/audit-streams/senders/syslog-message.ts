import type { SealedAuditEvent, SealedHead } from '../../audit/sealed-events.service.js';
import { eventLine, headKind, headLine, missingEventKind, type StreamBatch } from './stream-batch.js';

/* RFC 5424 messages in the octet counting frames of RFC 5425. */

const logAudit = 13;
const notice = 5;
const informational = 6;
/** The enterprise number of RFC 5612 for documentation. Private structured data needs one. */
const structuredDataId = 'countersign@32473';
const byteOrderMark = '\ufeff';

export function syslogFrames({ tenantId, events, heads }: StreamBatch, hostname: string): Buffer {
  const messages = [
    ...events.map((event) => eventMessage(event, tenantId, hostname)),
    ...heads.map((head) => headMessage(head, hostname)),
  ];
  return Buffer.concat(messages.map(frame));
}

function frame(message: string): Buffer {
  const bytes = Buffer.from(message);
  return Buffer.concat([Buffer.from(`${bytes.length} `), bytes]);
}

const eventMessage = (event: SealedAuditEvent, tenantId: string, hostname: string) =>
  message({
    severity: event.kind ? informational : notice,
    at: event.at ?? '-',
    hostname,
    kind: event.kind ?? missingEventKind,
    data: { id: event.id ?? '-', position: String(event.position), tenant: tenantId },
    line: eventLine(event),
  });

const headMessage = (head: SealedHead, hostname: string) =>
  message({
    severity: informational,
    at: head.at,
    hostname,
    kind: headKind,
    data: { id: `head-${head.size}`, position: String(head.size), tenant: head.tenantId },
    line: headLine(head),
  });

interface MessageParts {
  severity: number;
  at: string;
  hostname: string;
  kind: string;
  data: Record<string, string>;
  line: string;
}

function message({ severity, at, hostname, kind, data, line }: MessageParts): string {
  const parameters = Object.entries(data).map(([name, value]) => ` ${name}="${value.replace(/["\\\]]/g, '\\$&')}"`);
  const header = [
    `<${logAudit * 8 + severity}>1`,
    at,
    printable(hostname, 255),
    'countersign',
    '-',
    printable(kind, 32),
    `[${structuredDataId}${parameters.join('')}]`,
  ];
  return `${header.join(' ')} ${byteOrderMark}${line}`;
}

/** Printable ASCII without spaces, at most this long. */
const printable = (text: string, maxLength: number) => text.replace(/[^\x21-\x7e]/g, '').slice(0, maxLength) || '-';

import { Injectable } from '@nestjs/common';
import type { AuditStreamSettings } from '../audit-stream-settings.js';
import type { AuditStreamKind } from '../audit-stream.entity.js';
import { OtlpSenderService } from './otlp-sender.service.js';
import type { StreamBatch } from './stream-batch.js';
import { SyslogSenderService } from './syslog-sender.service.js';
import { WebhookStreamSenderService } from './webhook-stream-sender.service.js';

/** Sends a batch. Rejects with `StreamFailure` unless the receiver accepted all of it. */
@Injectable()
export class StreamSenderService {
  constructor(
    private readonly otlp: OtlpSenderService,
    private readonly syslog: SyslogSenderService,
    private readonly webhook: WebhookStreamSenderService,
  ) {}

  send(kind: AuditStreamKind, batch: StreamBatch, settings: AuditStreamSettings, signal: AbortSignal): Promise<void> {
    return this[kind].send(batch, settings, signal);
  }
}

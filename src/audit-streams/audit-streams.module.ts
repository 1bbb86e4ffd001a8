import { Module } from '@nestjs/common';
import { AuditStreamDeliveryService } from './audit-stream-delivery.service.js';
import { AuditStreamNotificationsService } from './audit-stream-notifications.service.js';
import { AuditStreamsResolver } from './audit-streams.resolver.js';
import { AuditStreamsService } from './audit-streams.service.js';
import { OtlpSenderService } from './senders/otlp-sender.service.js';
import { StreamSenderService } from './senders/stream-sender.service.js';
import { SyslogSenderService } from './senders/syslog-sender.service.js';
import { WebhookStreamSenderService } from './senders/webhook-stream-sender.service.js';

/** Sends the audit log to other systems. */
@Module({
  providers: [
    AuditStreamsService,
    AuditStreamDeliveryService,
    AuditStreamNotificationsService,
    OtlpSenderService,
    SyslogSenderService,
    WebhookStreamSenderService,
    StreamSenderService,
    AuditStreamsResolver,
  ],
})
export class AuditStreamsModule {}

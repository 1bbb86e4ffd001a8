import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Member } from '../access/member.entity.js';
import { requireSession } from '../access/sessions.service.js';
import { Tenant } from '../access/tenant.entity.js';
import { AuditService } from '../audit/audit.service.js';
import { Config } from '../platform/config/config.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { QueueService } from '../platform/queue/queue.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { type Principal, systemPrincipal } from '../principal/principal.js';
import { DeliveryFailure } from './delivery-failure.js';
import { NotificationChannel } from './notification-channel.entity.js';
import { type DeliveryState, NotificationDelivery } from './notification-delivery.entity.js';
import { messageLine, type MessageItem, type NotificationMessage } from './notification-message.js';
import { type MessageRecipient, NotificationSourceRegistry } from './notification-source-registry.service.js';
import { deliveryNotFound } from './notifications.error.js';
import { notificationsOfDelivery, startAttempt } from './notifications.sql.js';
import { deleteEndedDeliveries } from './notifications.system.sql.js';
import { SendSlots } from './send-slots.js';
import { type MessageDestination, MessageSenderService } from './senders/message-sender.service.js';

export const deliverJob = 'notifications.deliver';
const maxItems = 50;
const maxRows = 1000;
const retryForMs = 24 * 60 * 60 * 1000;
const maxPauseMs = 60 * 60 * 1000;
const retentionDays = 30;
const deleteBatchSize = 1000;
const maxParked = 200;
/** When an endpoint is busy with slow requests. */
const busyPauseMs = 5000;

/** The message and who receives it, as of now. Null: it concerns nobody any more. */
type ComposedMessage = (MessageDestination & { message: NotificationMessage }) | null;

/** Sends messages, repeats failed ones for a day, and then parks them for an administrator. */
@Injectable()
export class NotificationDeliveryService implements OnModuleInit {
  private readonly emailSlots = new SendSlots();
  /** Apart from email, because administrators choose these endpoints. */
  private readonly channelSlots = new SendSlots();

  constructor(
    private readonly database: DatabaseService,
    private readonly queue: QueueService,
    private readonly config: Config,
    private readonly log: LogService,
    private readonly audit: AuditService,
    private readonly sources: NotificationSourceRegistry,
    private readonly messageSender: MessageSenderService,
  ) {}

  onModuleInit(): void {
    this.queue.handle(deliverJob, ({ tenantId, deliveryId }) => this.deliver(String(tenantId), String(deliveryId)));
    this.queue.every('notifications.sweep', 3600, () => this.sweep());
  }

  listParked(principal: Principal): Promise<NotificationDelivery[]> {
    const where = { tenantId: principal.tenantId, state: 'parked' as const };
    return this.database.tenant(principal, (tx) =>
      tx.find(NotificationDelivery, { where, order: { id: 'DESC' }, take: maxParked }),
    );
  }

  /** Sends a parked message again, with the same message id. */
  resend(principal: Principal, id: string): Promise<NotificationDelivery> {
    requireSession(principal);
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const values = { state: 'sending' as const, attempts: 0, createdAt: new Date(), endedAt: null };
      const { affected } = await tx.update(NotificationDelivery, { tenantId, id, state: 'parked' }, values);
      if (!affected) throw deliveryNotFound('There is no such parked message.');
      await this.queue.add(tx, deliverJob, { tenantId, deliveryId: id }, { key: `${deliverJob}:${id}` });
      await this.audit.record(tx, principal, { kind: 'notification.resent', subject: { type: 'notification', id } });
      return tx.findOneByOrFail(NotificationDelivery, { tenantId, id });
    });
  }

  private async deliver(tenantId: string, id: string): Promise<void> {
    const delivery = await this.database.tenant({ tenantId }, (tx) =>
      tx.findOneBy(NotificationDelivery, { tenantId, id }),
    );
    if (!delivery) return;
    const { channelId } = delivery;
    const release = await (channelId ? this.channelSlots.acquire(channelId) : this.emailSlots.acquire('email'));
    if (!release) return this.postpone(tenantId, id, busyPauseMs);
    try {
      await this.attempt(tenantId, id);
    } finally {
      release();
    }
  }

  private async attempt(tenantId: string, id: string): Promise<void> {
    const attempt = await this.database.tenant({ tenantId }, (tx) => tx.one(startAttempt, [tenantId, id]));
    if (!attempt) return;
    try {
      const composed = await this.compose(tenantId, id);
      if (composed) await this.messageSender.send(composed.message, composed);
      await this.end(tenantId, id, composed ? 'sent' : 'obsolete', null);
    } catch (thrown) {
      const error = thrown instanceof DeliveryFailure ? thrown : this.unexpectedFailure(id, thrown);
      const { retryMs } = this.config.notifications;
      const pauseMs = Math.max(error.retryAfterMs ?? 0, Math.min(maxPauseMs, retryMs * 2 ** (attempt.attempts - 1)));
      const isOver = Date.now() + pauseMs > attempt.createdAt.getTime() + retryForMs;
      if (error.isPermanent || isOver) await this.end(tenantId, id, 'parked', error.message);
      else await this.postpone(tenantId, id, pauseMs, error.message);
    }
  }

  private unexpectedFailure(deliveryId: string, error: unknown): DeliveryFailure {
    this.log.error({ err: error, deliveryId }, 'a notification could not be sent');
    return new DeliveryFailure('An internal error; see the log of the server.', false);
  }

  /** Reads the current state, so that a delayed message leaves out approvals that were decided in the meantime. */
  private compose(tenantId: string, id: string): Promise<ComposedMessage> {
    return this.database.tenant({ tenantId }, async (tx) => {
      const { memberId, channelId } = await tx.findOneByOrFail(NotificationDelivery, { tenantId, id });
      const member = memberId ? await tx.findOneBy(Member, { tenantId, id: memberId, status: 'active' }) : null;
      const channel = channelId ? await tx.findOneBy(NotificationChannel, { tenantId, id: channelId }) : null;
      if ((memberId && !member) || (channelId && !channel)) return null;
      const rows = await tx.run(notificationsOfDelivery, [tenantId, id, maxRows]);
      const items: MessageItem[] = [];
      let moreCount = 0;
      for (const { eventId, eventKind, payload } of rows) {
        const content = await this.sources.describe(tx, tenantId, eventKind, payload);
        if (!content || (memberId && !content.recipients.includes(memberId))) continue;
        const { kind, approvalId } = content;
        const path = content.pathFor?.({ messageId: id, memberId, medium: mediumOf(channel) }) ?? content.path;
        const title = messageLine(content.title);
        const facts = content.facts.map(({ label, value }) => ({ label, value: messageLine(value) }));
        if (items.length < maxItems)
          items.push({ eventId, kind, approvalId, title, facts, url: this.config.baseUrl + path });
        else moreCount++;
      }
      if (!items.length) return null;
      const { name: organization } = await tx.findOneByOrFail(Tenant, { id: tenantId });
      const message = { id, organization, items, moreCount, homeUrl: `${this.config.baseUrl}/console` };
      return { message, member, channel };
    });
  }

  private async postpone(tenantId: string, id: string, pauseMs: number, reason?: string): Promise<void> {
    await this.database.tenant({ tenantId }, async (tx) => {
      if (reason) await tx.update(NotificationDelivery, { tenantId, id }, { reason });
      const runAt = new Date(Date.now() + pauseMs);
      await this.queue.add(tx, deliverJob, { tenantId, deliveryId: id }, { key: `${deliverJob}:${id}`, runAt });
    });
  }

  private async end(tenantId: string, id: string, state: DeliveryState, reason: string | null): Promise<void> {
    await this.database.tenant({ tenantId }, async (tx) => {
      await tx.update(NotificationDelivery, { tenantId, id }, { state, reason, endedAt: new Date() });
      if (state !== 'parked') return;
      this.log.warn({ tenantId, deliveryId: id, reason }, 'parked a notification: it could not be delivered');
      const subject = { type: 'notification', id };
      const principal = systemPrincipal(tenantId, 'notifications');
      await this.audit.record(tx, principal, { kind: 'notification.parked', subject, detail: { reason } });
    });
  }

  private async sweep(): Promise<void> {
    const deleteBatch = () => this.database.systemPool.execute(deleteEndedDeliveries, [retentionDays, deleteBatchSize]);
    while ((await deleteBatch()) === deleteBatchSize);
  }
}

const mediumOf = (channel: NotificationChannel | null): MessageRecipient['medium'] =>
  channel === null ? 'email' : channel.kind === 'slack_webhook' ? 'slack' : channel.kind;

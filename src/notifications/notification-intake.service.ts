import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../platform/config/config.js';
import { newId } from '../platform/crypto/ids.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { type OutboxEvent, OutboxService } from '../platform/events/outbox.service.js';
import { QueueService } from '../platform/queue/queue.service.js';
import { NotificationChannel } from './notification-channel.entity.js';
import { deliverJob } from './notification-delivery.service.js';
import { mandatoryNotificationKinds } from './notification-kinds.js';
import { NotificationPreferencesService } from './notification-preferences.service.js';
import { type NotificationContent, NotificationSourceRegistry } from './notification-source-registry.service.js';
import { insertNotification, notificationExists, openDelivery } from './notifications.sql.js';
import { EmailSenderService } from './senders/email-sender.service.js';

const intakeJob = 'notifications.intake';
const eventsPerJob = 100;
/** The job of a message that still waits after this time has failed too often. */
const overdueMs = 10 * 60 * 1000;

interface Recipient {
  key: string;
  memberId: string | null;
  channelId: string | null;
}

/** Turns events of the outbox into messages. The job commits with the event, so no event is lost. */
@Injectable()
export class NotificationIntakeService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly queue: QueueService,
    private readonly outbox: OutboxService,
    private readonly config: Config,
    private readonly sources: NotificationSourceRegistry,
    private readonly preferences: NotificationPreferencesService,
    private readonly emailSender: EmailSenderService,
  ) {}

  onModuleInit(): void {
    this.queue.handle(intakeJob, ({ tenantId, kind, events }) =>
      this.receive(String(tenantId), String(kind), JSON.parse(String(events)) as OutboxEvent[]),
    );
    this.outbox.onWritten((tx, tenantId, kind, events) =>
      this.enqueue(
        tx,
        tenantId,
        kind,
        events.filter(({ payload }) => this.sources.concerns(kind, payload)),
      ),
    );
  }

  private async enqueue(tx: Tx, tenantId: string, kind: string, events: OutboxEvent[], runAt?: Date): Promise<void> {
    for (let from = 0; from < events.length; from += eventsPerJob) {
      const batch = JSON.stringify(events.slice(from, from + eventsPerJob));
      await this.queue.add(tx, intakeJob, { tenantId, kind, events: batch }, { runAt });
    }
  }

  private async receive(tenantId: string, eventKind: string, events: OutboxEvent[]): Promise<void> {
    await this.database.tenant({ tenantId }, async (tx) => {
      const channels = await tx.findBy(NotificationChannel, { tenantId });
      for (const event of events) {
        const content = await this.sources.describe(tx, tenantId, eventKind, event.payload);
        if (!content) continue;
        for (const recipient of await this.recipientsOf(tx, tenantId, channels, content))
          await this.addTo(tx, tenantId, recipient, eventKind, event);
        const { reminder } = content;
        if (reminder && reminder.at > new Date())
          await this.enqueue(tx, tenantId, reminder.eventKind, [event], reminder.at);
      }
    });
  }

  /** Sorted, so that concurrent events lock their messages in the same order. */
  private async recipientsOf(
    tx: Tx,
    tenantId: string,
    channels: readonly NotificationChannel[],
    content: NotificationContent,
  ): Promise<Recipient[]> {
    const memberIds = [...new Set(content.recipients)];
    const choices = await this.preferences.ofMembers(tx, tenantId, memberIds);
    const personal = channels.find(({ sendsDirectMessages }) => sendsDirectMessages);
    const toMembers = memberIds.flatMap((memberId) => {
      const { email, directMessage } = choices.get(memberId)!;
      return [
        ...(this.emailSender.isConfigured && [...email, ...mandatoryNotificationKinds].includes(content.kind)
          ? [{ key: `email:${memberId}`, memberId, channelId: null }]
          : []),
        ...(personal && directMessage.includes(content.kind)
          ? [{ key: `dm:${personal.id}:${memberId}`, memberId, channelId: personal.id }]
          : []),
      ];
    });
    const toChannels = channels
      .filter(
        ({ kinds, stepNames }) =>
          !content.isForMembersOnly && kinds.includes(content.kind) && isOfStep(stepNames, content.stepName),
      )
      .map(({ id }) => ({ key: `channel:${id}`, memberId: null, channelId: id }));
    return [...toMembers, ...toChannels].sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  private async addTo(
    tx: Tx,
    tenantId: string,
    { key, memberId, channelId }: Recipient,
    eventKind: string,
    { id: eventId, payload }: OutboxEvent,
  ): Promise<void> {
    if (await tx.one(notificationExists, [tenantId, eventId, eventKind, key])) return; // the job runs again
    const { digestMs } = this.config.notifications;
    const delivery = (await tx.one(openDelivery, [tenantId, newId(), key, memberId, channelId, digestMs]))!;
    await tx.execute(insertNotification, [tenantId, eventId, key, delivery.id, eventKind, payload]);
    const { id: deliveryId, sendAt, isNew } = delivery;
    // a second job beside the one that is about to send the message would send it twice
    if (!isNew && sendAt.getTime() > Date.now() - overdueMs) return;
    const runAt = sendAt > new Date() ? sendAt : undefined;
    await this.queue.add(tx, deliverJob, { tenantId, deliveryId }, { key: `${deliverJob}:${deliveryId}`, runAt });
  }
}

const isOfStep = (stepNames: readonly string[], stepName?: string): boolean =>
  !stepName || !stepNames.length || stepNames.includes(stepName);

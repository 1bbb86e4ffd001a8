import { Injectable } from '@nestjs/common';
import { Member } from '../access/member.entity.js';
import { Batcher } from '../platform/database/batcher.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { In } from 'typeorm';
import { NotificationChannel } from './notification-channel.entity.js';
import type { NotificationDelivery } from './notification-delivery.entity.js';

/** Names the recipients of messages to administrators. */
@Injectable()
export class NotificationRecipientsService {
  constructor(private readonly database: DatabaseService) {}

  async nameOf({ tenantId, memberId, channelId }: NotificationDelivery): Promise<string> {
    const [channel, member] = await Promise.all([
      channelId ? this.names.submit({ tenantId, id: channelId }) : null,
      memberId ? this.names.submit({ tenantId, id: memberId }) : null,
    ]);
    return [channel, member].filter((name) => name !== null).join(', ') || 'Removed';
  }

  private readonly names = new Batcher<{ tenantId: string; id: string }, string | null>((tenantId, keys) =>
    this.database.tenant({ tenantId }, async (tx) => {
      const where = { tenantId, id: In(keys.map(({ id }) => id)) };
      const members = await tx.findBy(Member, where);
      const channels = await tx.findBy(NotificationChannel, where);
      const names = new Map([
        ...members.map(({ id, email }) => [id, email] as const),
        ...channels.map(({ id, name }) => [id, name] as const),
      ]);
      return keys.map(({ id }) => names.get(id) ?? null);
    }),
  );
}

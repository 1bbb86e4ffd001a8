import { statement } from '../platform/database/statement.js';
import type { OutboxPayload } from '../platform/events/outbox.sql.js';

/** The message that collects notifications of a recipient. It stays locked until the transaction ends. */
export const openDelivery = statement<
  [
    tenantId: string,
    newId: string,
    recipient: string,
    memberId: string | null,
    channelId: string | null,
    digestMs: number,
  ],
  { id: string; sendAt: Date; isNew: boolean }
>(
  `
  insert into notification_deliveries as d (tenant_id, id, recipient, member_id, channel_id, state, attempts, created_at, send_at)
  select $1, $2, $3, $4, $5, 'waiting', 0, now(), greatest(now(), (
    select max(send_at) from notification_deliveries where tenant_id = $1 and recipient = $3
  ) + $6 * interval '1 millisecond')
  on conflict (tenant_id, recipient) where state = 'waiting' do update set state = d.state
  returning id, send_at as "sendAt", xmax = 0 as "isNew"`,
  { neverNull: ['isNew'] },
);

/** Once per event and recipient. */
export const insertNotification = statement<
  [tenantId: string, eventId: string, recipient: string, deliveryId: string, eventKind: string, payload: OutboxPayload]
>(`
  insert into notifications (tenant_id, event_id, recipient, delivery_id, event_kind, payload)
  values ($1, $2, $3, $4, $5, $6) on conflict do nothing`);

export const notificationExists = statement<
  [tenantId: string, eventId: string, eventKind: string, recipient: string],
  { exists: number }
>(`
  select 1 as exists from notifications where tenant_id = $1 and event_id = $2 and event_kind = $3 and recipient = $4`);

export interface NotificationRow {
  eventId: string;
  eventKind: string;
  payload: OutboxPayload;
}
export const notificationsOfDelivery = statement<
  [tenantId: string, deliveryId: string, limit: number],
  NotificationRow
>(`
  select event_id as "eventId", event_kind as "eventKind", payload from notifications
  where tenant_id = $1 and delivery_id = $2 order by event_id limit $3`);

/** From now on, the message collects nothing. Returns no row if it has ended. */
export const startAttempt = statement<[tenantId: string, id: string], { attempts: number; createdAt: Date }>(`
  update notification_deliveries set state = 'sending', attempts = attempts + 1
  where tenant_id = $1 and id = $2 and state in ('waiting', 'sending')
  returning attempts, created_at as "createdAt"`);

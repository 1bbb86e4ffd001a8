import { Baseline } from '../../platform/database/baseline.js';
import { secureTenantTable } from '../../platform/database/tenant-table.js';

export class NotificationsBaseline1800000001700 extends Baseline {
  protected readonly sql = `
    create table notification_channels (
      tenant_id uuid not null,
      id uuid not null,
      name text not null,
      kind text not null check (kind in ('webhook', 'teams', 'slack_webhook', 'slack')),
      kinds text[] not null,
      -- empty: approvals of every step
      step_names text[] not null,
      -- host of a webhook, or channel id of Slack; the whole address of a chat webhook is a credential
      target text not null,
      sends_direct_messages boolean not null default false,
      sealed_address bytea,
      sealed_secret bytea,
      created_at timestamptz not null,
      primary key (tenant_id, id)
    );
    ${secureTenantTable('notification_channels')}

    -- without a row, the defaults apply
    create table notification_preferences (
      tenant_id uuid not null,
      member_id uuid not null,
      email text[] not null,
      direct_message text[] not null,
      primary key (tenant_id, member_id)
    );
    ${secureTenantTable('notification_preferences')}

    -- One message to one recipient. It collects notifications while it waits. Its id is the message id, so a receiver can
    -- drop a message that is sent twice.
    create table notification_deliveries (
      tenant_id uuid not null,
      id uuid not null,
      recipient text not null,
      member_id uuid,
      channel_id uuid,
      state text not null check (state in ('waiting', 'sending', 'sent', 'parked', 'obsolete')),
      attempts int not null,
      reason text,
      created_at timestamptz not null,
      send_at timestamptz not null,
      ended_at timestamptz,
      primary key (tenant_id, id)
    );
    create unique index notification_deliveries_waiting on notification_deliveries (tenant_id, recipient)
      where state = 'waiting';
    create index notification_deliveries_of_recipient on notification_deliveries (tenant_id, recipient, send_at);
    create index notification_deliveries_parked on notification_deliveries (tenant_id, id) where state = 'parked';
    create index notification_deliveries_ended on notification_deliveries (ended_at) where ended_at is not null;
    ${secureTenantTable('notification_deliveries', { system: ['select', 'delete'] })}

    -- The text is composed when the message is sent, so nothing about the event is stored here but ids.
    create table notifications (
      tenant_id uuid not null,
      event_id uuid not null,
      recipient text not null,
      delivery_id uuid not null,
      event_kind text not null,
      payload jsonb not null,
      primary key (tenant_id, event_id, event_kind, recipient),
      foreign key (tenant_id, delivery_id) references notification_deliveries (tenant_id, id) on delete cascade
    );
    create index notifications_of_delivery on notifications (tenant_id, delivery_id);
    ${secureTenantTable('notifications')}
  `;
}

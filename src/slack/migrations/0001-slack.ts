import { Baseline } from '../../platform/database/baseline.js';
import { secureTenantTable } from '../../platform/database/tenant-table.js';

export class SlackBaseline1800000001740 extends Baseline {
  protected readonly sql = `
    -- without a row, members can decide in Slack where a step allows it
    create table slack_settings (
      tenant_id uuid primary key,
      allows_decisions boolean not null
    );
    ${secureTenantTable('slack_settings')}

    -- The Slack account of a member, linked in a session.
    create table slack_identities (
      tenant_id uuid not null,
      member_id uuid not null,
      slack_team_id text not null,
      slack_user_id text not null,
      linked_at timestamptz not null,
      primary key (tenant_id, member_id),
      constraint slack_identities_one_member unique (tenant_id, slack_team_id, slack_user_id)
    );
    ${secureTenantTable('slack_identities')}

    -- The code that was sent to a Slack account. A member enters it in the session that requested it.
    create table slack_link_codes (
      tenant_id uuid not null,
      member_id uuid not null,
      session_id uuid not null,
      slack_team_id text not null,
      slack_user_id text not null,
      code_hash bytea not null,
      attempts int not null,
      expires_at timestamptz not null,
      primary key (tenant_id, member_id)
    );
    ${secureTenantTable('slack_link_codes')}

    -- A message on which members can decide, and exactly what it shows.
    create table slack_decision_messages (
      tenant_id uuid not null,
      id uuid not null,
      delivery_id uuid not null,
      approval_id uuid not null,
      channel_id uuid not null,
      -- null: everyone in the channel sees the message
      member_id uuid,
      slack_channel_id text not null,
      ts text not null,
      arguments_hash text not null,
      definition_hash text not null,
      closed_at timestamptz,
      primary key (tenant_id, id),
      unique (tenant_id, delivery_id, approval_id),
      unique (tenant_id, channel_id, slack_channel_id, ts),
      foreign key (tenant_id, channel_id) references notification_channels (tenant_id, id) on delete cascade
    );
    create index slack_decision_messages_of_approval on slack_decision_messages (tenant_id, approval_id);
    ${secureTenantTable('slack_decision_messages')}

    -- The signatures of recent requests, which are accepted once.
    create table slack_requests (
      tenant_id uuid not null,
      signature bytea not null,
      received_at timestamptz not null,
      primary key (tenant_id, signature)
    );
    create index slack_requests_received on slack_requests (tenant_id, received_at);
    ${secureTenantTable('slack_requests')}
  `;
}

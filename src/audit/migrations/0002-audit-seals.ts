import type { MigrationInterface, QueryRunner } from 'typeorm';
import { includeInBackup, sealerAccess, secureTenantTable, systemTable } from '../../platform/database/tenant-table.js';

const eventColumns = 'tenant_id, id, at, kind, actor, subject, detail, request_id';

/** Events get positions in one Merkle tree per tenant, and signed heads of these trees. */
export class AuditSeals1800000001600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table audit_events add transaction_id xid8 not null default pg_current_xact_id();
      create index audit_events_by_transaction on audit_events (transaction_id, id);
      ${sealerAccess('audit_events', ['select'])}
      -- only the default sets transaction_id: an invented one could put an event below the sealer's progress
      revoke insert on audit_events from cs_app, cs_bulk, cs_system;
      grant insert (${eventColumns}) on audit_events to cs_app, cs_bulk, cs_system;
      -- transaction ids mean nothing on another server: restored events get the id of the restore
      revoke select on audit_events from cs_backup;
      grant select (${eventColumns}) on audit_events to cs_backup;

      -- which event is which leaf of the tenant's tree
      create table audit_seals (
        tenant_id uuid not null,
        position bigint not null,
        event_id uuid not null,
        leaf bytea not null,
        primary key (tenant_id, position),
        unique (tenant_id, event_id)
      );
      ${secureTenantTable('audit_seals', { app: ['select'], sealer: ['select', 'insert'] })}

      -- roots of complete subtrees of 256, 65,536, … leaves: an inclusion proof then reads few rows
      create table audit_nodes (
        tenant_id uuid not null,
        level smallint not null,
        position bigint not null,
        hash bytea not null,
        primary key (tenant_id, level, position)
      );
      ${secureTenantTable('audit_nodes', { app: ['select'], sealer: ['insert'] })}

      create table audit_heads (
        tenant_id uuid not null,
        size bigint not null,
        root bytea not null,
        previous bytea, -- the hash of the head before
        at timestamptz not null,
        epoch int not null,
        signature bytea not null,
        primary key (tenant_id, size)
      );
      ${secureTenantTable('audit_heads', { app: ['select'], sealer: ['insert'] })}

      -- what the sealer needs to continue a tree
      create table audit_trees (
        tenant_id uuid primary key,
        size bigint not null,
        frontier bytea not null, -- roots of the complete subtrees, the largest first
        head_size bigint not null,
        head_hash bytea,
        head_at timestamptz
      );
      create index audit_trees_without_head on audit_trees (tenant_id) where size > head_size;
      ${secureTenantTable('audit_trees', { app: [], sealer: ['select', 'insert', 'update'] })}

      -- public keys; the private keys are derived from the master keys
      create table audit_keys (
        epoch int primary key,
        public_key bytea not null unique,
        endorsement bytea, -- signature with the key of the epoch before
        created_at timestamptz not null
      );
      ${systemTable('audit_keys', ['select'])}
      ${sealerAccess('audit_keys', ['select', 'insert'])}
      ${includeInBackup('audit_keys')}

      -- how far events are sealed. It only saves time: without it, the sealer starts at the first event
      create table audit_sealing (
        singleton boolean primary key default true check (singleton),
        transaction_id xid8 not null,
        event_id uuid not null
      );
      alter table audit_sealing enable row level security;
      ${sealerAccess('audit_sealing', ['select', 'insert', 'update'])}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop table audit_sealing, audit_keys, audit_trees, audit_heads, audit_nodes, audit_seals;
      revoke select (${eventColumns}) on audit_events from cs_backup;
      grant select on audit_events to cs_backup;
      revoke insert (${eventColumns}) on audit_events from cs_app, cs_bulk, cs_system;
      grant insert on audit_events to cs_app, cs_bulk, cs_system;
      drop policy sealer on audit_events;
      revoke select on audit_events from cs_sealer;
      alter table audit_events drop transaction_id`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An authorization server that was found in use and that no administrator has confirmed yet. */
export class PendingAuthorizationServers1790000001563 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table connection_authorization_servers
        alter confirmed drop not null,
        alter confirmed_at drop not null,
        add pending jsonb,
        add pending_at timestamptz,
        add check ((pending is null) = (pending_at is null)),
        add check ((confirmed is null) = (confirmed_at is null)),
        add check (confirmed is not null or pending is not null)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('delete from connection_authorization_servers where confirmed is null');
    await runner.query(`
      alter table connection_authorization_servers
        drop pending,
        drop pending_at,
        alter confirmed set not null,
        alter confirmed_at set not null`);
  }
}

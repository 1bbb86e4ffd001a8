import { Baseline } from '../../platform/database/baseline.js';

/** The commands that speak MCP over stdio, and the sessions with them. */
export class McpClientBaseline1800000000320 extends Baseline {
  protected readonly sql = `
    -- Commands of the operator that speak MCP over stdio. They belong to no tenant and are not accessible to cs_app.
    -- Lines and messages are worthless after a crash of the database, so they are not written to the write-ahead log.
    create table stdio_children (
      command text primary key,
      child uuid,
      lease_until timestamptz,
      failures int not null,
      failure text,
      start_after timestamptz
    );
    create unlogged table stdio_lines (
      id uuid primary key,
      command text not null,
      child uuid,
      alive_until timestamptz not null,
      closed text
    );
    create unlogged table stdio_messages (
      number bigint generated always as identity primary key,
      line uuid not null references stdio_lines (id) on delete cascade,
      is_answer boolean not null,
      message bytea not null,
      expires_at timestamptz not null
    );
    create index stdio_messages_by_line on stdio_messages (line, is_answer);
    grant select, insert, update, delete on stdio_children, stdio_lines, stdio_messages to cs_system;
  `;
}

import { statement } from '../../platform/database/statement.js';

/*
 * Sessions with a child that another process owns. Taking a message deletes it: a message that its writer can withdraw
 * was never taken.
 */

// the caller's side

export const insertStdioSession = statement<[session: string, command: string, aliveSeconds: number]>(
  `insert into stdio_lines (id, command, alive_until) values ($1, $2, now() + $3 * interval '1 second')`,
);

export const extendStdioSessions = statement<[sessions: string[], aliveSeconds: number]>(
  `update stdio_lines set alive_until = now() + $2 * interval '1 second' where id = any ($1)`,
);

export const deleteStdioSession = statement<[session: string]>('delete from stdio_lines where id = $1');

export interface StdioSessionState {
  id: string;
  isAccepted: boolean;
  /** Its child is gone, or its owner no longer renews the lease. */
  isLost: boolean;
  closed: string | null;
}
/** The owner has closed those that are missing. */
export const stdioSessionStates = statement<[sessions: string[]], StdioSessionState>(`
  select l.id, l.child is not null as "isAccepted", l.closed,
         l.child is not null and not coalesce(c.lease_until > now(), false) as "isLost"
  from stdio_lines l left join stdio_children c on c.child = l.child where l.id = any ($1)`);

// the owner's side

interface IdRow {
  id: string;
}

/** Returns those that sessions wait for. */
export const awaitedStdioCommands = statement<[commands: string[]], { command: string }>(`
  select distinct command from stdio_lines
  where child is null and closed is null and alive_until > now() and command = any ($1)`);

export const acceptStdioSessions = statement<[child: string, command: string], IdRow>(`
  update stdio_lines set child = $1
  where command = $2 and child is null and closed is null and alive_until > now()
    and exists (select 1 from stdio_children where child = $1 and lease_until > now())
  returning id`);

/** Returns the sessions whose callers are alive. */
export const livingStdioSessions = statement<[child: string], IdRow>(
  'select id from stdio_lines where child = $1 and alive_until > now()',
);

/** Closes sessions that no process accepted. */
export const refuseStdioSessions = statement<[command: string, reason: string], IdRow>(
  'update stdio_lines set closed = $2 where command = $1 and child is null and closed is null returning id',
);

export const closeStdioSessionsOfChild = statement<[child: string, reason: string], IdRow>(
  'update stdio_lines set closed = $2 where child = $1 and closed is null returning id',
);

// messages

export interface StdioMessageRow {
  /** bigint: the driver returns a string */
  number: string;
  line: string;
  message: Buffer;
}

/** The owner writes answers. Messages may be taken until their lifetime ends. */
export const insertStdioMessage = statement<
  [session: string, isAnswer: boolean, sealed: Buffer, lifetimeSeconds: number],
  { number: string }
>(`
  insert into stdio_messages (line, is_answer, message, expires_at)
  values ($1, $2, $3, now() + $4 * interval '1 second') returning number`);

/** Only while the child's lease is valid: a process that stalled takes no more messages. */
export const consumeStdioRequests = statement<[child: string], StdioMessageRow>(`
  delete from stdio_messages m using stdio_lines l
  where l.child = $1 and m.line = l.id and not m.is_answer and m.expires_at > now()
    and exists (select 1 from stdio_children where child = $1 and lease_until > now())
  returning m.number, m.line, m.message`);

export const consumeStdioAnswers = statement<[sessions: string[]], StdioMessageRow>(
  'delete from stdio_messages where line = any ($1) and is_answer returning number, line, message',
);

/** Affects a row if no process has taken the message, which then can no longer happen. */
export const withdrawStdioMessage = statement<[number: string]>('delete from stdio_messages where number = $1');

export const deleteExpiredStdioSessions = statement(
  `delete from stdio_lines where alive_until < now() - interval '1 minute'`,
);

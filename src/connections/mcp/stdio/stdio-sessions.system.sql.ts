/*
 * Sessions with a child that another process owns. Taking a message deletes it: a message that its writer can withdraw
 * was never taken.
 */

// the caller's side

/** $1 session, $2 command, $3 seconds */
export const insertStdioSession = `
  insert into stdio_lines (id, command, alive_until) values ($1, $2, now() + $3 * interval '1 second')`;

/** $1 sessions, $2 seconds */
export const extendStdioSessions = `update stdio_lines set alive_until = now() + $2 * interval '1 second' where id = any ($1)`;

export const deleteStdioSession = 'delete from stdio_lines where id = $1';

export interface StdioSessionState {
  id: string;
  isAccepted: boolean;
  /** Its child is gone, or its owner no longer renews the lease. */
  isLost: boolean;
  closed: string | null;
}
/** $1 sessions. The owner has closed those that are missing. */
export const stdioSessionStates = `
  select l.id, l.child is not null as "isAccepted", l.closed,
         l.child is not null and not coalesce(c.lease_until > now(), false) as "isLost"
  from stdio_lines l left join stdio_children c on c.child = l.child where l.id = any ($1)`;

// the owner's side

/** $1 commands. Returns those that sessions wait for. */
export const awaitedStdioCommands = `
  select distinct command from stdio_lines
  where child is null and closed is null and alive_until > now() and command = any ($1)`;

/** $1 child, $2 command */
export const acceptStdioSessions = `
  update stdio_lines set child = $1
  where command = $2 and child is null and closed is null and alive_until > now()
    and exists (select 1 from stdio_children where child = $1 and lease_until > now())
  returning id`;

/** $1 child. Returns the sessions whose callers are alive. */
export const livingStdioSessions = 'select id from stdio_lines where child = $1 and alive_until > now()';

/** $1 command, $2 reason. Closes sessions that no process accepted. */
export const refuseStdioSessions = `
  update stdio_lines set closed = $2 where command = $1 and child is null and closed is null returning id`;

/** $1 child, $2 reason */
export const closeStdioSessionsOfChild =
  'update stdio_lines set closed = $2 where child = $1 and closed is null returning id';

// messages

export interface StdioMessageRow {
  /** bigint: the driver returns a string */
  number: string;
  line: string;
  message: Buffer;
}

/** $1 session, $2 whether the owner writes it, $3 sealed, $4 seconds in which it may be taken */
export const insertStdioMessage = `
  insert into stdio_messages (line, is_answer, message, expires_at)
  values ($1, $2, $3, now() + $4 * interval '1 second') returning number`;

/** $1 child. Only while its lease is valid: a process that stalled takes no more messages. */
export const consumeStdioRequests = `
  delete from stdio_messages m using stdio_lines l
  where l.child = $1 and m.line = l.id and not m.is_answer and m.expires_at > now()
    and exists (select 1 from stdio_children where child = $1 and lease_until > now())
  returning m.number, m.line, m.message`;

/** $1 sessions */
export const consumeStdioAnswers = `
  delete from stdio_messages where line = any ($1) and is_answer returning number, line, message`;

/** $1 number. Returns a row if no process has taken the message, which then can no longer happen. */
export const withdrawStdioMessage = 'delete from stdio_messages where number = $1 returning number';

export const deleteExpiredStdioSessions = `delete from stdio_lines where alive_until < now() - interval '1 minute'`;

import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { Client, type ClientConfig } from 'pg';
import { row } from '../output.ts';
import { check, letPeopleRead, type StepOutcome, type Walk } from './walk.ts';
import { waitFor } from './wait-for.ts';

const verifier = path.resolve(import.meta.dirname, '../../../verify/countersign-verify.js');

interface Verification {
  exitCode: number;
  ok: boolean;
  complete?: boolean;
  events?: number;
  problem?: string;
  message?: string;
  id?: string;
}

/** Somebody with full access to the database rewrites who approved a call. The verifier names the row. */
export async function findChangedAuditRow(walk: Walk): Promise<StepOutcome> {
  const { ada, folder, say } = walk;
  const event = await newestApproval(walk);
  const head = path.join(folder, 'audit-head.json');
  await exportWithSealed(walk, event.id, 'audit.jsonl');
  writeFileSync(head, await ada.browser.download('/console/exports/audit-head.json'));
  const before = await verify(walk, 'audit.jsonl', head);

  const sql = `update audit_events set actor = jsonb_set(actor, '{name}', '"${ada.name}"') where id = '${event.id}'`;
  say(row('Event', `${event.kind} of ${event.at}, by ${event.actor.name}`));
  say(row('To be run', `${sql};`));
  await letPeopleRead(
    walk,
    [row('Verify yourself', `npx node run.js verify/countersign-verify.js ${path.join(folder, 'audit.jsonl')}`)],
    'changes the row in SQL as the owner of the table, exports and verifies again',
  );

  const owner = await connectAsOwner(folder);
  let changed: Verification;
  try {
    const actor = await withoutProtection(owner, () => changeActor(owner, event.id, sql));
    changed = await verifyExport(walk, 'audit-changed.jsonl', head);
    await withoutProtection(owner, () =>
      owner.query('update audit_events set actor = $2 where id = $1', [event.id, actor]),
    );
  } finally {
    await owner.end();
  }
  say(row('Restored', 'the row, as it was'));
  const restored = await verifyExport(walk, 'audit-restored.jsonl', head);
  return {
    checks: [
      check('the export was complete and unchanged before', before.exitCode === 0 && before.complete === true),
      check('after the change, the verifier ended with exit code 1', changed.exitCode === 1),
      check('it names the changed event', changed.problem === 'altered' && changed.id === event.id),
      check('with the row restored, the export is unchanged again', restored.exitCode === 0 && restored.ok),
    ],
    facts: { event: { ...event, actor: event.actor.name }, sql, before, changed, restored },
  };
}

interface ApprovalEvent {
  id: string;
  kind: string;
  at: string;
  actor: { name: string };
}
async function newestApproval({ ada }: Walk): Promise<ApprovalEvent> {
  const { auditEvents } = await ada.browser.graphql<{ auditEvents: { nodes: ApprovalEvent[] } }>(
    '{ auditEvents(kind: "approval.approved", first: 1) { nodes { id kind at actor } } }',
  );
  return auditEvents.nodes[0];
}

/** Events are sealed within about a second, and only sealed ones are proven. */
async function exportWithSealed(walk: Walk, eventId: string, file: string): Promise<void> {
  const isSealed = (line: string) => {
    const event = JSON.parse(line) as { id?: string; position?: number };
    return event.id === eventId && event.position !== undefined;
  };
  await waitFor('The seal of the event', async () => {
    const lines = await exportAuditLog(walk, file);
    return lines.some(isSealed) || undefined;
  });
}

/** Returns the lines of the export. */
async function exportAuditLog({ ada, folder }: Walk, file: string): Promise<string[]> {
  const exported = await ada.browser.download('/console/exports/audit.jsonl');
  writeFileSync(path.join(folder, file), exported);
  return exported.trim().split('\n');
}

async function verifyExport(walk: Walk, file: string, head: string): Promise<Verification> {
  await exportAuditLog(walk, file);
  return verify(walk, file, head);
}

/** Runs the verifier as an auditor does, who has only the export and a head from before. */
async function verify({ folder, say }: Walk, file: string, head: string): Promise<Verification> {
  const args = [verifier, path.join(folder, file), '--since', head, '--json'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  const result = JSON.parse(await text(child.stdout)) as Omit<Verification, 'exitCode'>;
  const exitCode = (await exit) ?? -1;
  const finding = result.ok ? `${result.events} events are unchanged` : `${result.problem}: ${result.message}`;
  say(row('Verifier', `${file}: ${finding} (exit code ${exitCode})`));
  return { exitCode, ...result };
}

/** The owner of the tables: the one of `DATABASE_URL`, or that of the embedded PostgreSQL. */
async function connectAsOwner(folder: string): Promise<Client> {
  const { DATABASE_URL: connectionString } = process.env;
  const owner = new Client(connectionString ? { connectionString } : embeddedOwner(folder));
  await owner.connect();
  return owner;
}

/** The socket of the embedded PostgreSQL. Its folder is on the fifth line of the lock file. */
function embeddedOwner(folder: string): ClientConfig {
  const [, , , , host] = readFileSync(path.join(folder, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
  return { host, user: 'postgres', database: 'countersign' };
}

/** Returns the actor from before. */
async function changeActor(owner: Client, id: string, sql: string): Promise<unknown> {
  const { rows } = await owner.query<{ actor: unknown }>('select actor from audit_events where id = $1', [id]);
  const { rowCount } = await owner.query(sql);
  if (rowCount !== 1) throw new Error(`${rowCount} rows were changed instead of one`);
  return rows[0].actor;
}

/**
 * Triggers refuse every change, and row-level security hides the rows from an owner who is no superuser. Only the owner
 * of the table can turn both off.
 */
async function withoutProtection<T>(owner: Client, change: () => Promise<T>): Promise<T> {
  await owner.query('begin');
  await owner.query('alter table audit_events disable trigger user, no force row level security');
  const result = await change();
  await owner.query('alter table audit_events enable trigger user, force row level security');
  await owner.query('commit');
  return result;
}

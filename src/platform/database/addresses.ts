import { createHmac } from 'node:crypto';
import type { PoolConfig } from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';

/** The roles that work with rows. None owns a table, none is a superuser, none bypasses row-level security. */
export type WorkRole = 'cs_app' | 'cs_system' | 'cs_worker' | 'cs_bulk' | 'cs_sealer';
export const workRoles: WorkRole[] = ['cs_app', 'cs_system', 'cs_worker', 'cs_bulk', 'cs_sealer'];
export const loginRole = 'cs_login';
/** Reads every row, for `countersign-operator backup`; only the owner may become it. */
export const backupRole = 'cs_backup';

export interface DatabaseAddresses {
  /** The owner's connection, for migrations and role creation only. */
  owner: string;
  /** The connection that the pools use. */
  login: string;
  /**
   * True if this server creates the login role and sets its password at each start; false if the operator creates it.
   */
  ownsLogin: boolean;
}

export function resolveDatabaseAddresses(owner: string, masterKey: Buffer, operatorsLogin?: string): DatabaseAddresses {
  if (operatorsLogin) return { owner, login: operatorsLogin, ownsLogin: false };
  const login = new URL(owner);
  login.username = loginRole;
  login.password = loginPassword(masterKey);
  return { owner, login: login.toString(), ownsLogin: true };
}

export const loginPassword = (masterKey: Buffer): string =>
  createHmac('sha256', masterKey).update('database login').digest('base64url');

export const ownerConnection = (url: string): PoolConfig => ({
  ...parseIntoClientConfig(url),
  application_name: 'countersign-owner',
});

/**
 * A process that is suspended in the middle of a transaction keeps its rows locked for this long. This is no longer
 * than a lease, so that other processes take over its tasks in time. Transactions wait for nothing but the database.
 * The owner's connection, which migrates, backs up and restores, has no such limit.
 */
const idleTransactionSeconds = 10;

/** Time limit of a statement. A stalled statement must not block other statements or the audit log. */
const statementSeconds = 30;
/** Bulk statements write the rows of a whole organization, and lock only rows that nothing else writes. */
export const bulkStatementSeconds = 600;

/**
 * Bulk statements join many thousand rows with tables whose statistics may be older than these rows, or may describe
 * other organizations only. The planner then expects one row and chooses a nested loop. A hash join takes the same time
 * whatever the planner expects. The memory keeps these joins out of temporary files.
 */
const bulkPlannerOptions = '-c enable_nestloop=off -c work_mem=32MB';

/**
 * Statements here have fixed texts and short times, and compiling one takes 0.2 to 2 s. The planner decides on it by the
 * estimated costs, which before PostgreSQL 18 are enormous as soon as nested loops are off.
 */
const noCompilation = '-c jit=off';

/**
 * A new connection costs a handshake and the planning of its statements. Gateways of clouds drop connections that are
 * idle for about four minutes.
 */
const idleConnectionMs = 60_000;

export function workConnection(url: string, role: WorkRole): PoolConfig {
  const limits =
    role === 'cs_bulk'
      ? `statement_timeout=${bulkStatementSeconds}s ${bulkPlannerOptions}`
      : `statement_timeout=${statementSeconds}s`;
  return {
    ...parseIntoClientConfig(url),
    application_name: `countersign-${role.slice(3)}`,
    idleTimeoutMillis: idleConnectionMs,
    options: `-c role=${role} -c ${limits} -c idle_in_transaction_session_timeout=${idleTransactionSeconds}s -c timezone=UTC ${noCompilation}`,
  };
}

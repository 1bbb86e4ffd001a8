import { createHmac } from 'node:crypto';
import type { PoolConfig } from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';

/** The roles that work with rows. None owns a table, none is a superuser, none bypasses row-level security. */
export type WorkRole = 'cs_app' | 'cs_system' | 'cs_worker';
export const workRoles: WorkRole[] = ['cs_app', 'cs_system', 'cs_worker'];
export const loginRole = 'cs_login';
/** Reads every row, for `countersign backup`; only the owner may become it. */
export const backupRole = 'cs_backup';

export interface DatabaseAddresses {
  /** An owner's connection: migrations and the making of roles, nothing else. */
  owner: string;
  /** The connection that the pools use. */
  login: string;
  /** Made by us, so that its password may be set at each start; false where the operator makes the roles. */
  ownsLogin: boolean;
}

export function addresses(owner: string, masterKey: Buffer, operatorsLogin?: string): DatabaseAddresses {
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
 * A process that is stopped in the middle of a transaction keeps its rows locked for so long: no longer than a lease, so that
 * its tasks are taken over in time. No transaction waits for anything but the database. The owner's connection, which migrates,
 * backs up and restores, has no such limit.
 */
const stalledSeconds = 10;

/** A transaction that stalls must not stall the others, nor the sealing of the audit log. */
export const workConnection = (url: string, role: WorkRole): PoolConfig => ({
  ...parseIntoClientConfig(url),
  application_name: `countersign-${role.slice(3)}`,
  options: `-c role=${role} -c statement_timeout=30s -c idle_in_transaction_session_timeout=${stalledSeconds}s -c timezone=UTC`,
});

import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../platform/database/database.service.js';
import { oneRow } from '../platform/database/one-row.js';
import type { Principal } from '../principal/principal.js';

/** What a principal came with. The room that keeps it registers the check. */
export type RecheckKind = 'session' | 'admin-token' | 'tenant-key' | 'a2a-key' | 'oauth' | 'cli';

/** Why something does not work now. */
export interface Stop {
  /** For people: "the key was revoked". */
  reason: string;
  /** It passes, and whoever can wait does. */
  isPause: boolean;
}
export const over = (reason: string): Stop => ({ reason, isPause: false });
export const paused = (reason: string): Stop => ({ reason, isPause: true });

/** Null: still good. */
type Check = (principal: Principal, tx: EntityManager) => Promise<Stop | null>;

/**
 * Asked before something runs that was permitted a while ago: whether who asked for it could ask again now. The tenant, the
 * member and everybody in the chain are checked here, the credential by the room that keeps it.
 */
@Injectable()
export class Recheck {
  private readonly checks = new Map<RecheckKind, Check>();

  constructor(private readonly database: Database) {}

  /** In `onModuleInit`. */
  register(kind: RecheckKind, check: Check): void {
    this.checks.set(kind, check);
  }

  check(principal: Principal, tx?: EntityManager): Promise<Stop | null> {
    if (tx) return this.checkIn(tx, principal);
    return this.database.tenant(principal, (own) => this.checkIn(own, principal));
  }

  private async checkIn(tx: EntityManager, principal: Principal): Promise<Stop | null> {
    const stops = await Promise.all([
      this.whyNotPeople(tx, principal),
      ...kindsOf(principal).map((kind) => this.whyNotBy(tx, principal, kind)),
    ]);
    return stops.find((stop) => stop !== null) ?? null;
  }

  /** What nobody vouches for does not pass. */
  private async whyNotBy(tx: EntityManager, principal: Principal, kind: RecheckKind): Promise<Stop | null> {
    const check = this.checks.get(kind);
    return check ? check(principal, tx) : over(`nothing here knows a credential of the kind "${kind}"`);
  }

  private async whyNotPeople(tx: EntityManager, principal: Principal): Promise<Stop | null> {
    const chain = principal.chain.filter((link) => link.kind === 'member').map((link) => link.id);
    const ids = [...new Set([...(principal.memberId ? [principal.memberId] : []), ...chain])];
    const values = [principal.tenantId, ids];
    const found = await oneRow<{ isPaused: boolean; active: string[] }>(tx, standing, values);
    if (!found) return over('the organization is gone');
    if (found.isPaused) return paused('the organization is paused');
    if (ids.some((id) => !found.active.includes(id))) return over('a member who asked for this is not active any more');
    return null;
  }
}

const standing = {
  name: 'access-standing',
  text: `
  select t.paused_at is not null as "isPaused",
         array(select m.id::text from members m where m.tenant_id = t.id and m.id = any($2::uuid[]) and m.status = 'active') as active
  from tenants t where t.id = $1`,
};

/** By the fields that a guard fills in. */
export function kindsOf(principal: Principal): RecheckKind[] {
  if (principal.agentId) return ['a2a-key'];
  if (principal.clientId) return ['oauth'];
  if (principal.sessionId) return ['session'];
  if (!principal.keyId) return [];
  if (principal.surface === 'ingest') return ['tenant-key'];
  return principal.surface === 'cli' ? ['cli'] : ['admin-token'];
}

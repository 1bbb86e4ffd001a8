import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../audit/audit.service.js';
import { newId } from '../platform/crypto/ids.js';
import { hashToken, newToken } from '../platform/crypto/tokens.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { notFound } from '../platform/errors/general.error.js';
import { QueueService } from '../platform/queue/queue.service.js';
import { type Permission, permissionsOfRoles } from '../principal/permissions.js';
import type { Principal } from '../principal/principal.js';
import { sessionRequired } from '../principal/principal.error.js';
import { reauthenticationRequired, signInRefused } from './access.error.js';
import { activeSessions, type ActiveSessionRow } from './credentials.system.sql.js';
import {
  permanentFailure,
  CredentialRevalidationService,
  type RevalidationFailure,
} from './credential-revalidation.service.js';
import { Session } from './session.entity.js';
import { sweepLinks, sweepSessions } from './sweeps.system.sql.js';

const hour = 60 * 60;
export const sessionIdleSeconds = 12 * hour;
const sessionSeconds = 7 * 24 * hour;
const freshMs = 10 * 60 * 1000;

/** Name of the cookie, before the prefix that https gives it. */
export const sessionCookie = 'countersign';

export interface OpenedSession {
  session: Session;
  /** What the cookie carries. Known only now. */
  token: string;
}

export type SignInMethod = 'password' | 'password and passkey' | 'passkey' | 'provider' | 'link';

interface NewSession {
  memberId: string;
  /** Whether the person has just proved, by a password or a passkey, who they are. */
  isFresh: boolean;
  /** When they did, where it was elsewhere and perhaps a while ago. */
  authenticatedAt?: Date | null;
  /** By what, for the records. */
  by?: SignInMethod;
  userAgent?: string;
}

@Injectable()
export class SessionsService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly queue: QueueService,
    private readonly credentialRevalidation: CredentialRevalidationService,
  ) {}

  onModuleInit(): void {
    this.credentialRevalidation.register('session', (principal, tx) => this.revalidate(principal, tx));
    this.queue.every('sessions.sweep', hour, () => this.sweep());
  }

  open(principal: Principal, session: NewSession): Promise<OpenedSession> {
    return this.database.tenant(principal, (tx) => this.openIn(tx, principal, session));
  }

  async openIn(
    tx: EntityManager,
    principal: Principal,
    { memberId, isFresh, authenticatedAt = null, by, userAgent }: NewSession,
  ): Promise<OpenedSession> {
    await this.requireActive(tx, principal, memberId);
    const token = newToken('ses');
    const now = new Date();
    const session = tx.create(Session, {
      tenantId: principal.tenantId,
      id: newId(),
      tokenHash: hashToken(token),
      memberId,
      userAgent: userAgent?.slice(0, 300) ?? null,
      createdAt: now,
      usedAt: now,
      freshAt: isFresh ? now : authenticatedAt,
      expiresAt: new Date(now.getTime() + sessionSeconds * 1000),
    });
    await tx.insert(Session, session);
    await this.audit.record(tx, principal, {
      kind: 'session.opened',
      subject: { type: 'member', id: memberId },
      detail: { sessionId: session.id, by },
    });
    return { session, token };
  }

  /** One's own. */
  list(principal: Principal): Promise<Session[]> {
    const { tenantId, memberId } = requireMember(principal);
    return this.database.tenant(principal, (tx) =>
      tx.find(Session, { where: { tenantId, memberId }, order: { usedAt: 'desc' } }),
    );
  }

  /** One's own; others' end with `MembersService.suspend` and with a reset of the password. */
  async end(principal: Principal, id: string): Promise<void> {
    const { tenantId, memberId } = requireMember(principal);
    await this.database.tenant(principal, async (tx) => {
      const { affected } = await tx.delete(Session, { tenantId, memberId, id });
      if (!affected) throw notFound('There is no such session of yours.');
      await this.audit.record(tx, principal, {
        kind: 'session.ended',
        subject: { type: 'member', id: memberId },
        detail: { sessionId: id },
      });
    });
  }

  /** All of a member's, but one where it is named. */
  async endAll(tx: EntityManager, principal: Principal, memberId: string, exceptId?: string): Promise<void> {
    await tx.query('delete from sessions where tenant_id = $1 and member_id = $2 and id is distinct from $3', [
      principal.tenantId,
      memberId,
      exceptId ?? null,
    ]);
  }

  /** The person has proved again who they are. */
  async markFresh(principal: Principal, by: SignInMethod): Promise<Date> {
    const { tenantId, memberId, sessionId } = requireSession(principal);
    const freshAt = new Date();
    await this.database.tenant(principal, async (tx) => {
      await tx.update(Session, { tenantId, id: sessionId }, { freshAt });
      await this.audit.record(tx, principal, {
        kind: 'session.confirmed',
        subject: { type: 'member', id: memberId, name: principal.name },
        detail: { sessionId, by },
      });
    });
    return freshAt;
  }

  /** Held until the session is there, so that a suspension at the same moment ends it. */
  private async requireActive(tx: EntityManager, { tenantId }: Principal, memberId: string): Promise<void> {
    const [active] = await tx.query<unknown[]>(
      `select 1 from members where tenant_id = $1 and id = $2 and status = 'active' for share`,
      [tenantId, memberId],
    );
    if (!active) throw signInRefused('The account is not active.');
  }

  /** Of people who have something open for long: the permissions of those whose session goes on, by session. */
  async permissionsBySession(principals: readonly Principal[]): Promise<Map<string, ReadonlySet<Permission>>> {
    const values = [principals.map((one) => one.tenantId), principals.map((one) => one.sessionId), sessionIdleSeconds];
    const { rows } = await this.database.systemPool.query<ActiveSessionRow>({ ...activeSessions, values });
    return new Map(rows.map(({ sessionId, roles }) => [sessionId, permissionsOfRoles(roles)]));
  }

  private async revalidate(principal: Principal, tx: EntityManager): Promise<RevalidationFailure | null> {
    const rows: unknown[] = await tx.query(
      `select 1 from sessions where tenant_id = $1 and id = $2 and expires_at > now() and used_at > now() - make_interval(secs => $3)`,
      [principal.tenantId, principal.sessionId, sessionIdleSeconds],
    );
    return rows.length ? null : permanentFailure('the session has ended');
  }

  private sweep(): Promise<void> {
    return this.database.system('sweep sessions and links', async (tx) => {
      await tx.query(sweepSessions, [sessionIdleSeconds]);
      await tx.query(sweepLinks);
    });
  }
}

/** For what only a signed-in person decides: no token, no key. */
export function requireSession(principal: Principal): Principal & { memberId: string; sessionId: string } {
  const { memberId, sessionId } = principal;
  if (principal.kind !== 'member' || !memberId || !sessionId) throw sessionRequired('This needs a signed-in session.');
  return { ...principal, memberId, sessionId };
}

/** Whether the person proved a moment ago who they are. */
export const isFresh = ({ freshAt }: Principal): boolean => Date.now() - (freshAt?.getTime() ?? 0) <= freshMs;

/** For what is shown or changed only right after the person proved who they are. */
export function requireFresh(principal: Principal): Principal & { memberId: string; sessionId: string } {
  const session = requireSession(principal);
  if (!isFresh(principal))
    throw reauthenticationRequired('Prove again that it is you: on the page /confirm, or with your password.');
  return session;
}

/** A member, whatever vouches for them. */
export function requireMember(principal: Principal): Principal & { memberId: string } {
  if (principal.kind !== 'member' || !principal.memberId) throw sessionRequired('This is a person’s own.');
  return { ...principal, memberId: principal.memberId };
}

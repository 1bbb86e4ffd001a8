import { Injectable, type OnModuleInit } from '@nestjs/common';
import { MoreThan, Not } from 'typeorm';
import { AuditService } from '../audit/audit.service.js';
import { newId } from '../platform/crypto/ids.js';
import { hashToken, newToken } from '../platform/crypto/tokens.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { notFound } from '../platform/errors/general.error.js';
import { QueueService } from '../platform/queue/queue.service.js';
import { type Permission, permissionsOfRoles } from '../principal/permissions.js';
import type { Principal } from '../principal/principal.js';
import { sessionRequired } from '../principal/principal.error.js';
import { reauthenticationRequired, signInRefused } from './access.error.js';
import { activeSessions } from './credentials.system.sql.js';
import {
  permanentFailure,
  CredentialRevalidationService,
  type RevalidationFailure,
} from './credential-revalidation.service.js';
import { lockActiveMember } from './members.sql.js';
import { Session } from './session.entity.js';
import { activeSession } from './sessions.sql.js';
import { sweepLinks, sweepSessions } from './sweeps.system.sql.js';

const hour = 60 * 60;
export const sessionIdleSeconds = 12 * hour;
const sessionSeconds = 7 * 24 * hour;
const freshMs = 10 * 60 * 1000;

/** Cookie name, without the prefix used over https. */
export const sessionCookie = 'countersign';

export interface OpenedSession {
  session: Session;
  /** The cookie value. The database stores only its hash. */
  token: string;
}

export type SignInMethod = 'password' | 'password and passkey' | 'passkey' | 'provider' | 'link';

interface NewSession {
  memberId: string;
  /** Whether the person has just confirmed their identity with a password or a passkey. */
  isFresh: boolean;
  /** When they authenticated at a provider, possibly a while ago. */
  authenticatedAt?: Date | null;
  /** For the audit event. */
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
    tx: Tx,
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

  /** The caller's own sessions that can still be used. */
  list(principal: Principal): Promise<Session[]> {
    const { tenantId, memberId } = requireMember(principal);
    const now = Date.now();
    const isActive = {
      expiresAt: MoreThan(new Date(now)),
      usedAt: MoreThan(new Date(now - sessionIdleSeconds * 1000)),
    };
    return this.database.tenant(principal, (tx) =>
      tx.find(Session, { where: { tenantId, memberId, ...isActive }, order: { usedAt: 'desc' } }),
    );
  }

  /** Ends one of the caller's own sessions. Suspension and password reset end those of other members. */
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

  /** Ends the caller's own sessions except the one that asks. Returns the ids of those that it ended. */
  async endOthers(principal: Principal): Promise<string[]> {
    const { tenantId, memberId, sessionId } = requireSession(principal);
    return this.database.tenant(principal, async (tx) => {
      const others = await tx.findBy(Session, { tenantId, memberId, id: Not(sessionId) });
      await this.endAll(tx, principal, memberId, sessionId);
      for (const { id } of others)
        await this.audit.record(tx, principal, {
          kind: 'session.ended',
          subject: { type: 'member', id: memberId },
          detail: { sessionId: id },
        });
      return others.map(({ id }) => id);
    });
  }

  /** Ends all sessions of a member, optionally except one. */
  async endAll(tx: Tx, principal: Principal, memberId: string, exceptId?: string): Promise<void> {
    const { tenantId } = principal;
    await tx.delete(Session, { tenantId, memberId, ...(exceptId && { id: Not(exceptId) }) });
  }

  /** Records that the person has confirmed their identity. */
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

  /** Locks the member until the session is committed, so that a concurrent suspension ends the new session, too. */
  private async requireActive(tx: Tx, { tenantId }: Principal, memberId: string): Promise<void> {
    if (!(await tx.one(lockActiveMember, [tenantId, memberId]))) throw signInRefused('The account is not active.');
  }

  /** For long-lived streams: the permissions of the sessions that are still active, by session id. */
  async permissionsBySession(principals: readonly Principal[]): Promise<Map<string, ReadonlySet<Permission>>> {
    const rows = await this.database.systemPool.run(activeSessions, [
      principals.map(({ tenantId }) => tenantId),
      principals.map(({ sessionId }) => sessionId!),
      sessionIdleSeconds,
    ]);
    return new Map(rows.map(({ sessionId, roles }) => [sessionId, permissionsOfRoles(roles)]));
  }

  private async revalidate(principal: Principal, tx: Tx): Promise<RevalidationFailure | null> {
    const session = await tx.one(activeSession, [principal.tenantId, principal.sessionId!, sessionIdleSeconds]);
    return session ? null : permanentFailure('the session has ended');
  }

  private sweep(): Promise<void> {
    return this.database.system('sweep sessions and links', async (tx) => {
      await tx.execute(sweepSessions, [sessionIdleSeconds]);
      await tx.execute(sweepLinks);
    });
  }
}

/** For actions that only a signed-in person may take, not a token or a key. */
export function requireSession(principal: Principal): Principal & { memberId: string; sessionId: string } {
  const { memberId, sessionId } = principal;
  if (principal.kind !== 'member' || !memberId || !sessionId) throw sessionRequired('This needs a signed-in session.');
  return { ...principal, memberId, sessionId };
}

/** Whether the person confirmed their identity within the last ten minutes. */
export const isFresh = ({ freshAt }: Principal): boolean => Date.now() - (freshAt?.getTime() ?? 0) <= freshMs;

/** For sensitive actions that require a recent confirmation of identity. */
export function requireFresh(principal: Principal): Principal & { memberId: string; sessionId: string } {
  const session = requireSession(principal);
  if (!isFresh(principal))
    throw reauthenticationRequired('Confirm your identity first: on the page /confirm, or with your password.');
  return session;
}

/** A member, authenticated by a session or a token. */
export function requireMember(principal: Principal): Principal & { memberId: string } {
  if (principal.kind !== 'member' || !principal.memberId)
    throw sessionRequired('Only a member can do this, with their own session or token.');
  return { ...principal, memberId: principal.memberId };
}

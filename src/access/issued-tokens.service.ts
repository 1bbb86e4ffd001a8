import { Injectable } from '@nestjs/common';
import { type EntityTarget, IsNull } from 'typeorm';
import { AuditService } from '../audit/audit.service.js';
import { newId } from '../platform/crypto/ids.js';
import { hashToken, newToken, type TokenKind } from '../platform/crypto/tokens.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { newestFirstPage } from '../platform/graphql/newest-first.js';
import type { Tx } from '../platform/database/tx.js';
import { notFound } from '../platform/errors/general.error.js';
import type { Page, PageArgs } from '../platform/graphql/connection.js';
import type { Principal } from '../principal/principal.js';
import { permanentFailure, type RevalidationFailure } from './credential-revalidation.service.js';
import type { IssuedToken } from './issued-token.entity.js';
import { requireSession } from './sessions.service.js';
import { hintOf } from './token-hint.js';

type ExpiringToken = IssuedToken & { expiresAt: Date | null };

/** What differs between the kinds of issued tokens. */
export interface IssuedTokenKind<T extends ExpiringToken> {
  entity: EntityTarget<T>;
  tokenKind: TokenKind;
  /** In audit events. */
  subjectType: string;
  /** In messages. */
  noun: string;
}

/** Columns that only one kind has. */
type OwnColumns<T extends ExpiringToken> = Omit<T, Exclude<keyof IssuedToken, 'name'>>;

/** Creates, lists and revokes the credentials that people create for programs. The database stores only their hashes. */
@Injectable()
export class IssuedTokensService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
  ) {}

  /** `detail`: of the audit event. This is the only time the token is available. */
  async create<T extends ExpiringToken>(
    principal: Principal,
    { entity, tokenKind, subjectType }: IssuedTokenKind<T>,
    columns: OwnColumns<T>,
    detail: Record<string, unknown>,
  ): Promise<{ row: T; token: string }> {
    const { tenantId, memberId } = requireSession(principal);
    const token = newToken(tokenKind);
    const row = {
      ...columns,
      tenantId,
      id: newId(),
      name: columns.name.trim(),
      tokenHash: hashToken(token),
      hint: hintOf(token),
      createdBy: memberId,
      createdAt: new Date(),
      usedAt: null,
      revokedAt: null,
    } as unknown as T;
    await this.database.tenant(principal, async (tx) => {
      await tx.insert<ExpiringToken>(entity, row);
      await this.audit.record(tx, principal, {
        kind: `${subjectType}.created`,
        subject: { type: subjectType, id: row.id, name: row.name },
        detail,
      });
    });
    return { row, token };
  }

  list<T extends ExpiringToken>(
    principal: Principal,
    { entity }: IssuedTokenKind<T>,
    args: PageArgs,
  ): Promise<Page<T>> {
    return this.database.tenant(principal, (tx) =>
      newestFirstPage(tx.createQueryBuilder(entity, 'token').where('token.tenantId = :tenantId', principal), args),
    );
  }

  /** Takes effect immediately and cannot be undone. */
  async revoke<T extends ExpiringToken>(principal: Principal, kind: IssuedTokenKind<T>, id: string): Promise<T> {
    const { tenantId } = principal;
    const entity: EntityTarget<ExpiringToken> = kind.entity;
    return this.database.tenant(principal, async (tx) => {
      const { affected } = await tx.update(entity, { tenantId, id, revokedAt: IsNull() }, { revokedAt: new Date() });
      const token = (await tx.findOneBy(entity, { tenantId, id })) as T | null;
      if (!token) throw notFound(`There is no such ${kind.noun}.`);
      if (affected) await this.recordRevocation(tx, principal, kind, token);
      return token;
    });
  }

  /** Permanent: a member who is invited again starts without tokens. */
  async revokeAllOf<T extends ExpiringToken>(
    tx: Tx,
    principal: Principal,
    kind: IssuedTokenKind<T>,
    memberId: string,
  ): Promise<void> {
    const { tenantId } = principal;
    const entity: EntityTarget<ExpiringToken> = kind.entity;
    for (const token of await tx.findBy(entity, { tenantId, createdBy: memberId, revokedAt: IsNull() })) {
      await tx.update(entity, { tenantId, id: token.id }, { revokedAt: new Date() });
      await this.recordRevocation(tx, principal, kind, token);
    }
  }

  /** Checks the token of the principal again. */
  async revalidate<T extends ExpiringToken>(
    { tenantId, keyId }: Principal,
    { entity, noun }: IssuedTokenKind<T>,
    tx: Tx,
  ): Promise<RevalidationFailure | null> {
    const token = await tx.findOneBy<ExpiringToken>(entity, { tenantId, id: keyId! });
    if (!token || token.revokedAt) return permanentFailure(`the ${noun} was revoked`);
    return !token.expiresAt || token.expiresAt > new Date() ? null : permanentFailure(`the ${noun} has expired`);
  }

  private recordRevocation(
    tx: Tx,
    principal: Principal,
    { subjectType: type }: Pick<IssuedTokenKind<ExpiringToken>, 'subjectType'>,
    { id, name }: IssuedToken,
  ): Promise<void> {
    return this.audit.record(tx, principal, { kind: `${type}.revoked`, subject: { type, id, name } });
  }
}

import { Injectable, type OnModuleInit } from '@nestjs/common';
import { In } from 'typeorm';
import { CredentialHolderRegistry } from '../access/credential-holder-registry.service.js';
import { AccessChangeNotifier } from '../access/independence/access-change-notifier.service.js';
import {
  permanentFailure,
  temporaryFailure,
  CredentialRevalidationService,
  type RevalidationFailure,
} from '../access/credential-revalidation.service.js';
import { requireFresh, requireSession } from '../access/sessions.service.js';
import { AuditService } from '../audit/audit.service.js';
import { newId } from '../platform/crypto/ids.js';
import { MasterKeyMismatch, SealService } from '../platform/crypto/seal.service.js';
import { hashToken, newToken } from '../platform/crypto/tokens.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { invalidRequest } from '../platform/errors/general.error.js';
import { groupedBy } from '../platform/graphql/request-loader.js';
import type { Principal } from '../principal/principal.js';
import { A2aKey } from './a2a-key.entity.js';
import { AgentsService } from './agents.service.js';
import { keyNotFound, keyUnreadable, keyUnusable } from './configurations.error.js';
import { agentCredentialHolders, a2aKeyStatus } from './configurations.sql.js';
import { KeyReveal } from './key-reveal.entity.js';

export interface A2aKeyWithToken {
  a2aKey: A2aKey;
  /** The plain key. */
  key: string;
}

/**
 * Manages keys of agent identities. Every member who knows a key, because they created or revealed it, shares
 * responsibility for its requests.
 */
@Injectable()
export class KeysService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly seal: SealService,
    private readonly credentialRevalidation: CredentialRevalidationService,
    private readonly agents: AgentsService,
    private readonly holders: CredentialHolderRegistry,
    private readonly changes: AccessChangeNotifier,
  ) {}

  onModuleInit(): void {
    this.credentialRevalidation.register('a2a-key', (principal, tx) => this.revalidateIn(principal, tx));
    this.holders.register('agent', (tx, tenantId, agentId) => this.holdersOf(tx, tenantId, agentId));
  }

  /** Keys of each agent identity, in the order of the ids, newest first. */
  listOf(principal: Principal, agentIds: readonly string[]): Promise<A2aKey[][]> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const keys = await tx.find(A2aKey, { where: { tenantId, agentId: In(agentIds) }, order: { id: 'desc' } });
      return groupedBy(agentIds, keys, ({ agentId }) => agentId);
    });
  }

  /** Reveals of each key, in the order of the ids, oldest first. */
  revealsOf(principal: Principal, keyIds: readonly string[]): Promise<KeyReveal[][]> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const reveals = await tx.find(KeyReveal, { where: { tenantId, keyId: In(keyIds) }, order: { id: 'asc' } });
      return groupedBy(keyIds, reveals, ({ keyId }) => keyId);
    });
  }

  create(
    principal: Principal,
    agentId: string,
    { expiresAt = null }: { expiresAt?: Date | null } = {},
  ): Promise<A2aKeyWithToken> {
    requirePerson(principal);
    return this.database.tenant(principal, async (tx) => {
      await this.agents.getIn(tx, principal, agentId);
      return this.add(tx, principal, agentId, expiresAt, 'a2a_key.created');
    });
  }

  /** Creates an agent identity named after the configuration, for which the caller is responsible, and a key of it. */
  createWithAgent(
    principal: Principal,
    configurationId: string,
    { expiresAt = null }: { expiresAt?: Date | null } = {},
  ): Promise<A2aKeyWithToken> {
    requireSession(principal);
    return this.database.tenant(principal, async (tx) => {
      const agent = await this.agents.createNamedAfter(tx, principal, configurationId);
      return this.add(tx, principal, agent.id, expiresAt, 'a2a_key.created');
    });
  }

  /** Shows a key again to a recently authenticated member, who then shares responsibility for it. */
  reveal(principal: Principal, id: string): Promise<A2aKeyWithToken> {
    const { tenantId, memberId } = requireFresh(principal);
    return this.database.tenant(principal, async (tx) => {
      const { sealed, ...a2aKey } = await this.getUsable(tx, principal, id);
      const key = this.unseal(sealed, id);
      await tx.insert(KeyReveal, { tenantId, id: newId(), keyId: id, memberId, revealedAt: new Date() });
      await this.record(tx, principal, 'a2a_key.revealed', a2aKey);
      await this.changes.publish(tx, tenantId);
      return { a2aKey: tx.create(A2aKey, a2aKey), key };
    });
  }

  /** Creates a new key for the same identity. The old key stays valid for the overlap. */
  rotate(
    principal: Principal,
    id: string,
    { overlapSeconds, expiresAt = null }: { overlapSeconds: number; expiresAt?: Date | null },
  ): Promise<A2aKeyWithToken> {
    requirePerson(principal);
    return this.database.tenant(principal, async (tx) => {
      const old = await this.getUsable(tx, principal, id);
      const now = new Date();
      const ends = new Date(now.getTime() + overlapSeconds * 1000);
      const end = old.expiresAt && old.expiresAt < ends ? old.expiresAt : ends;
      await tx.update(A2aKey, { tenantId: principal.tenantId, id }, { expiresAt: end, replacedAt: now });
      return this.add(tx, principal, old.agentId, expiresAt, 'a2a_key.rotated', { replaces: id, worksUntil: end });
    });
  }

  /** Takes effect immediately and is final. */
  revoke(principal: Principal, id: string): Promise<A2aKey> {
    return this.change(principal, id, 'a2a_key.revoked', ({ revokedAt }) =>
      revokedAt ? null : { revokedAt: new Date() },
    );
  }

  pause(principal: Principal, id: string): Promise<A2aKey> {
    return this.change(principal, id, 'a2a_key.paused', ({ pausedAt }) => (pausedAt ? null : { pausedAt: new Date() }));
  }

  async resume(principal: Principal, id: string): Promise<A2aKey> {
    requireSession(principal);
    return this.change(principal, id, 'a2a_key.resumed', ({ pausedAt }) => (pausedAt ? { pausedAt: null } : null));
  }

  private async add(
    tx: Tx,
    principal: Principal,
    agentId: string,
    expiresAt: Date | null,
    kind: string,
    detail: Record<string, unknown> = {},
  ): Promise<A2aKeyWithToken> {
    if (expiresAt && !(expiresAt > new Date()))
      throw invalidRequest('The expiry date of the key has passed.', {
        errors: [{ pointer: '/expiresAt', detail: 'must be in the future' }],
      });
    const key = newToken('a2a');
    const id = newId();
    const row = {
      tenantId: principal.tenantId,
      id,
      agentId,
      hint: `${key.slice(0, 'cs_a2a_'.length + 4)}…`,
      createdBy: principal.memberId ?? null,
      createdAt: new Date(),
      expiresAt,
      pausedAt: null,
      replacedAt: null,
      revokedAt: null,
      usedAt: null,
    };
    await tx.insert(A2aKey, { ...row, tokenHash: hashToken(key), sealed: this.seal.seal(key, sealedKeyLocation(id)) });
    await this.record(tx, principal, kind, row, { agentId, expiresAt, ...detail });
    await this.changes.publish(tx, principal.tenantId);
    return { a2aKey: tx.create(A2aKey, row), key };
  }

  private unseal(sealed: Buffer, id: string): string {
    try {
      return this.seal.open(sealed, sealedKeyLocation(id)).toString();
    } catch (error) {
      if (!(error instanceof MasterKeyMismatch)) throw error;
      throw keyUnreadable('The master key that sealed this key is no longer available.', { cause: error });
    }
  }

  /** `decide` returns null if nothing changes, for example when a key is revoked twice. */
  private change(
    principal: Principal,
    id: string,
    kind: string,
    decide: (key: A2aKey) => Partial<A2aKey> | null,
  ): Promise<A2aKey> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const key = await tx.findOne(A2aKey, { where: { tenantId, id }, lock: { mode: 'pessimistic_write' } });
      if (!key) throw unknownA2aKey();
      const change = decide(key);
      if (!change) return key;
      await tx.update(A2aKey, { tenantId, id }, change);
      await this.record(tx, principal, kind, key);
      return Object.assign(key, change);
    });
  }

  /** Includes the sealed key. */
  private async getUsable(tx: Tx, { tenantId }: Principal, id: string): Promise<A2aKey> {
    const key = await tx
      .createQueryBuilder(A2aKey, 'k')
      .addSelect('k.sealed')
      .where({ tenantId, id })
      .setLock('pessimistic_write')
      .getOne();
    if (!key) throw unknownA2aKey();
    if (key.revokedAt || (key.expiresAt && key.expiresAt <= new Date()))
      throw keyUnusable('This key is revoked or expired.');
    return key;
  }

  /** The member responsible for the agent first. */
  private async holdersOf(tx: Tx, tenantId: string, agentId: string): Promise<string[]> {
    const rows = await tx.run(agentCredentialHolders, [tenantId, agentId]);
    return rows.map(({ id }) => id);
  }

  /** For streams and other objects that outlive their request: why the key is no longer valid, or null. */
  revalidate(principal: Principal): Promise<RevalidationFailure | null> {
    return this.database.tenant(principal, (tx) => this.revalidateIn(principal, tx));
  }

  /** Checks the key when a call that was requested with it runs, possibly hours later. */
  private async revalidateIn({ tenantId, keyId }: Principal, tx: Tx): Promise<RevalidationFailure | null> {
    const status = await tx.one(a2aKeyStatus, [tenantId, keyId]);
    if (!status || status.isRevoked) return permanentFailure('the key was revoked');
    const { isExpired, isKeyPaused, isAgentPaused, isAttended } = status;
    if (isExpired) return permanentFailure('the key has expired');
    if (!isAttended) return permanentFailure('the member responsible for the agent is no longer active');
    if (isKeyPaused) return temporaryFailure('the key is paused');
    return isAgentPaused ? temporaryFailure('the agent is paused') : null;
  }

  private record(
    tx: Tx,
    principal: Principal,
    kind: string,
    { id, hint }: Pick<A2aKey, 'id' | 'hint'>,
    detail: Record<string, unknown> = {},
  ): Promise<void> {
    return this.audit.record(tx, principal, { kind, subject: { type: 'a2a_key', id, name: hint }, detail });
  }
}

/** Creating a key reveals it, so tokens may not do this. The system principal may, for the built-in demo. */
function requirePerson(principal: Principal): void {
  if (principal.kind !== 'system') requireSession(principal);
}

const sealedKeyLocation = (row: string) => ({ table: 'a2a_keys', column: 'sealed', row });
const unknownA2aKey = () => keyNotFound('The key does not exist.');

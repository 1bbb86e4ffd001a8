import { Injectable } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import { newId } from '../../platform/crypto/ids.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { conflict, notFound } from '../../platform/errors/general.error.js';
import type { Principal } from '../../principal/principal.js';
import { passkeyRefused } from '../access.error.js';
import { ChallengeStore } from '../challenge-store.service.js';
import { isUniqueViolation } from '../../platform/database/database-error.js';
import { Member } from '../member.entity.js';
import { AccessChangeNotifier } from '../independence/access-change-notifier.service.js';
import { requireFresh, requireSession } from '../sessions.service.js';
import { SignInMethodsService } from '../sign-in-methods.service.js';
import { parseRegistrationResponse } from './webauthn-response.js';
import { Passkey } from '../passkey.entity.js';
import { WebAuthnService } from './webauthn.service.js';

const maxPasskeys = 20;

/** The caller's own passkeys. Adding and removing one requires a recent confirmation of identity. */
@Injectable()
export class PasskeysService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly challengeStore: ChallengeStore,
    private readonly signInMethods: SignInMethodsService,
    private readonly webAuthn: WebAuthnService,
    private readonly changes: AccessChangeNotifier,
  ) {}

  listOf(tx: Tx, { tenantId, memberId }: { tenantId: string; memberId: string }): Promise<Passkey[]> {
    return tx.find(Passkey, { where: { tenantId, memberId }, order: { id: 'asc' } });
  }

  /** Returns the WebAuthn options for the browser. */
  async beginRegistration(principal: Principal, browser: string) {
    const { tenantId, memberId, sessionId } = requireFresh(principal);
    const { member, present } = await this.database.tenant(principal, async (tx) => ({
      member: await tx.findOneByOrFail(Member, { tenantId, id: memberId }),
      present: await this.listOf(tx, { tenantId, memberId }),
    }));
    const challenge = await this.challengeStore.issue(browser, 'passkey-register', { tenantId, memberId, sessionId });
    return this.webAuthn.registrationOptions(challenge, member, present);
  }

  async register(
    principal: Principal,
    { browser, credential, name }: { browser: string | undefined; credential: unknown; name: string },
  ): Promise<Passkey> {
    const { tenantId, memberId, sessionId } = requireFresh(principal);
    const { response, challenge } = parseRegistrationResponse(credential);
    const storedChallenge = await this.challengeStore.consume(browser, challenge, ['passkey-register']);
    if (storedChallenge?.memberId !== memberId || storedChallenge.sessionId !== sessionId)
      throw passkeyRefused(
        'The request was started on another page, has expired, or was already used. Reload the page and try again.',
      );
    const key = await this.webAuthn.verifyRegistration(response, challenge);
    const passkey: Passkey = {
      tenantId,
      id: newId(),
      memberId,
      ...key,
      name: name.trim(),
      createdAt: new Date(),
      usedAt: null,
    };
    return this.database.tenant(principal, async (tx) => {
      await this.signInMethods.lock(tx, principal, memberId);
      if ((await tx.countBy(Passkey, { tenantId, memberId })) >= maxPasskeys)
        throw conflict(`An account can have at most ${maxPasskeys} passkeys. Remove one first.`);
      // the time of the database, which the times of introductions and vouches are compared with
      await tx.insert(Passkey, { ...passkey, createdAt: () => 'clock_timestamp()' }).catch((error: unknown) => {
        throw isUniqueViolation(error, 'passkeys_tenant_id_credential_id_key')
          ? conflict('This passkey is already registered.')
          : error;
      });
      await this.record(tx, principal, 'passkey.registered', passkey);
      return this.get(tx, { tenantId, memberId }, passkey.id);
    });
  }

  async rename(principal: Principal, id: string, name: string): Promise<Passkey> {
    const { tenantId, memberId } = requireSession(principal);
    return this.database.tenant(principal, async (tx) => {
      const passkey = await this.get(tx, { tenantId, memberId }, id);
      await tx.update(Passkey, { tenantId, id }, { name: name.trim() });
      await this.record(tx, principal, 'passkey.renamed', { ...passkey, name: name.trim() });
      return { ...passkey, name: name.trim() };
    });
  }

  async remove(principal: Principal, id: string): Promise<Passkey> {
    const { tenantId, memberId } = requireFresh(principal);
    return this.database.tenant(principal, async (tx) => {
      await this.signInMethods.lock(tx, principal, memberId);
      const passkey = await this.get(tx, { tenantId, memberId }, id);
      await tx.delete(Passkey, { tenantId, id });
      await this.signInMethods.requireRemaining(tx, principal, memberId);
      await this.record(tx, principal, 'passkey.removed', passkey);
      await this.changes.publish(tx, tenantId);
      return passkey;
    });
  }

  private async get(tx: Tx, owner: { tenantId: string; memberId: string }, id: string): Promise<Passkey> {
    const passkey = await tx.findOneBy(Passkey, { ...owner, id });
    if (!passkey) throw notFound('There is no such passkey of yours.');
    return passkey;
  }

  private record(tx: Tx, principal: Principal, kind: string, { id, name, memberId }: Passkey) {
    return this.audit.record(tx, principal, {
      kind,
      subject: { type: 'member', id: memberId, name: principal.name },
      detail: { passkeyId: id, name },
    });
  }
}

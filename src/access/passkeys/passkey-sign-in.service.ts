import { Injectable } from '@nestjs/common';
import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { AuditService } from '../../audit/audit.service.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { catchProblem } from '../../platform/errors/catch-problem.js';
import { Problem } from '../../platform/errors/problem.js';
import { type Principal, systemPrincipal } from '../../principal/principal.js';
import { passkeyRefused } from '../access.error.js';
import { type LoginAttempt, LoginThrottle } from '../login-throttle.service.js';
import { type Challenge, type ChallengePurpose, ChallengeStore } from '../challenge-store.service.js';
import { memberPrincipal } from '../member-principal.js';
import { returnPath } from '../return-path.js';
import { type OpenedSession, requireSession, SessionsService } from '../sessions.service.js';
import { parseAuthenticationResponse } from './webauthn-response.js';
import { updatePasskeyCounter } from './passkeys.sql.js';
import { passkeyByCredential, type PasskeyWithMember } from './passkeys.system.sql.js';
import { PasskeysService } from './passkeys.service.js';
import { memberIdOfUserHandle, WebAuthnService } from './webauthn.service.js';

interface PasskeySubmission {
  /** The secret of the browser's cookie. */
  browser: string | undefined;
  /** The response of the passkey, as submitted in the form. */
  credential: unknown;
  address: string;
  userAgent?: string;
}

/** A verified passkey response and its challenge. */
interface PasskeyProof {
  challenge: Challenge;
  passkey: PasskeyWithMember;
  counter: number;
  isSynced: boolean;
  forgive: () => Promise<void>;
}

/** Sign-in with a passkey, as the only factor or after the password, and confirmation of identity with one. */
@Injectable()
export class PasskeySignInService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly loginThrottle: LoginThrottle,
    private readonly challengeStore: ChallengeStore,
    private readonly passkeys: PasskeysService,
    private readonly sessions: SessionsService,
    private readonly webAuthn: WebAuthnService,
  ) {}

  /** The member is not known yet: the passkey identifies them. */
  async begin(browser: string, { address, next }: { address: string; next: unknown }) {
    await this.loginThrottle.countByAddress(address);
    const challenge = await this.challengeStore.issue(browser, 'passkey-sign-in', { next: returnPath(next) });
    return this.webAuthn.authenticationOptions(challenge);
  }

  /** Runs after the password was verified. */
  async beginSecondFactor(
    browser: string,
    { tenantId, memberId, next }: { tenantId: string; memberId: string; next: unknown },
  ) {
    const context = { tenantId, memberId, next: returnPath(next) };
    return this.requestMemberPasskey(
      await this.challengeStore.issue(browser, 'passkey-second-factor', context),
      context,
    );
  }

  async beginConfirmation(principal: Principal, browser: string, next: unknown) {
    const { tenantId, memberId, sessionId } = requireSession(principal);
    const context = { tenantId, memberId, sessionId, next: returnPath(next) };
    return this.requestMemberPasskey(await this.challengeStore.issue(browser, 'passkey-confirm', context), context);
  }

  async signIn(submission: PasskeySubmission): Promise<{ opened: OpenedSession; next: string }> {
    const proof = await this.authenticate(submission, ['passkey-sign-in', 'passkey-second-factor']);
    const { tenantId, memberId, memberName, roles } = proof.passkey;
    const principal = memberPrincipal({ tenantId, memberId, name: memberName, roles });
    const opened = await this.withCounterUpdate(proof, submission, (tx) =>
      this.sessions.openIn(tx, principal, {
        memberId,
        isFresh: true,
        by: proof.challenge.purpose === 'passkey-sign-in' ? 'passkey' : 'password and passkey',
        userAgent: submission.userAgent,
      }),
    );
    return { opened, next: returnPath(proof.challenge.next) };
  }

  /** Confirms the identity of the signed-in member. */
  async confirm(principal: Principal, submission: PasskeySubmission): Promise<{ freshAt: Date; next: string }> {
    const { sessionId } = requireSession(principal);
    const proof = await this.authenticate(submission, ['passkey-confirm']);
    if (proof.challenge.sessionId !== sessionId)
      throw passkeyRefused('This confirmation was started in another session. Start again from the sign-in page.');
    await this.withCounterUpdate(proof, submission, async () => undefined);
    return { freshAt: await this.sessions.markFresh(principal, 'passkey'), next: returnPath(proof.challenge.next) };
  }

  private async requestMemberPasskey(challenge: Buffer, owner: { tenantId: string; memberId: string }) {
    const known = await this.database.tenant(owner, (tx) => this.passkeys.listOf(tx, owner));
    return this.webAuthn.authenticationOptions(challenge, known);
  }

  private async authenticate(
    { browser, credential, address }: PasskeySubmission,
    purposes: ChallengePurpose[],
  ): Promise<PasskeyProof> {
    const { response, challenge: answered } = parseAuthenticationResponse(credential);
    const attempt = await this.loginThrottle.count(`passkey ${response.id}`, address);
    const challenge = await this.challengeStore.consume(browser, answered, purposes);
    if (!challenge)
      throw passkeyRefused(
        'The request was started in another browser, has expired, or was already answered. Start again.',
      );
    const memberId = challenge.memberId ?? memberIdOfUserHandle(response.response.userHandle);
    const passkey = memberId ? await this.find(response.id, memberId) : null;
    const proof = await catchProblem(this.verify(passkey, response, answered));
    if (!(proof instanceof Problem))
      return { challenge, ...proof, forgive: () => this.forgive(attempt, challenge, address) };
    const tenantId = challenge.tenantId ?? passkey?.tenantId;
    if (tenantId) await this.recordRefusal(tenantId, memberId, proof, address);
    throw proof;
  }

  private async verify(passkey: PasskeyWithMember | null, response: AuthenticationResponseJSON, challenge: Buffer) {
    if (passkey?.status !== 'active')
      throw passkeyRefused('This passkey does not belong to an active account here, or belongs to another account.');
    return { passkey, ...(await this.webAuthn.verifyAssertion(response, challenge, passkey)) };
  }

  /**
   * Advances the signature counter in the transaction that uses the proof, so that a replayed response has no effect.
   */
  private async withCounterUpdate<T>(
    proof: PasskeyProof,
    { address }: PasskeySubmission,
    run: (tx: Tx) => Promise<T>,
  ): Promise<T> {
    const { passkey, counter, isSynced } = proof;
    const done = await this.database.tenant(passkey, async (tx) => {
      const updated = await tx.execute(updatePasskeyCounter, [passkey.tenantId, passkey.id, counter, isSynced]);
      return updated ? { result: await run(tx) } : null;
    });
    if (!done) {
      const problem = passkeyRefused(
        'The signature counter of the passkey went backwards, which suggests that the passkey was copied.',
      );
      await this.recordRefusal(passkey.tenantId, passkey.memberId, problem, address, passkey);
      throw problem;
    }
    await proof.forgive();
    return done.result;
  }

  private find(credentialId: string, memberId: string): Promise<PasskeyWithMember | null> {
    return this.database.system('find a passkey', (tx) =>
      tx.one(passkeyByCredential, [Buffer.from(credentialId, 'base64url'), memberId]),
    );
  }

  private async forgive(attempt: LoginAttempt, { purpose }: Challenge, address: string): Promise<void> {
    await attempt.forgive();
    if (purpose === 'passkey-sign-in') await this.loginThrottle.forgiveByAddress(address); // `begin` counted as an attempt, too
  }

  private async recordRefusal(
    tenantId: string,
    memberId: string | null,
    { message }: Problem,
    address: string,
    passkey?: PasskeyWithMember,
  ): Promise<void> {
    const principal = systemPrincipal(tenantId, 'sign-in');
    await this.database.tenant(principal, (tx) =>
      this.audit.record(tx, principal, {
        kind: passkey ? 'passkey.counter_went_back' : 'sign_in.refused',
        subject: memberId ? { type: 'member', id: memberId, name: passkey?.memberName } : undefined,
        detail: { by: 'passkey', reason: message, address, passkeyId: passkey?.id },
      }),
    );
  }
}

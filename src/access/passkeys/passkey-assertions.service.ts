import { Injectable } from '@nestjs/common';
import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { AuditService } from '../../audit/audit.service.js';
import { constantTimeEqual, sha256 } from '../../platform/crypto/digest.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { type Principal, systemPrincipal } from '../../principal/principal.js';
import { passkeyRefused, passkeysUnavailable } from '../access.error.js';
import { ChallengeStore } from '../challenge-store.service.js';
import { requireSession } from '../sessions.service.js';
import { parseAuthenticationResponse } from './webauthn-response.js';
import { passkeysOfMembers, type RegisteredPasskey, updatePasskeyCounter } from './passkeys.sql.js';
import { memberIdOfUserHandle, WebAuthnService } from './webauthn.service.js';

export type { RegisteredPasskey } from './passkeys.sql.js';
export { passkeyScriptUrl } from './passkeys.pages.js';

/** What a passkey signed, and with which key: enough to verify the signature again later. */
export interface PasskeyAssertion {
  passkeyId: string;
  memberId: string;
  credentialId: Buffer;
  /** COSE (RFC 9052). */
  publicKey: Buffer;
  /** The text whose digest is the second half of the challenge. */
  statement: string;
  clientData: Buffer;
  authenticatorData: Buffer;
  signature: Buffer;
  /** 0 if the authenticator does not count. */
  counter: number;
  isSynced: boolean;
}

/** A response whose challenge was ours, unused, not expired, and issued to this session. */
export interface ReceivedAssertion {
  response: AuthenticationResponseJSON;
  challenge: Buffer;
}

/** The same as in the browser. */
const lifetimeSeconds = 5 * 60;
const nonceBytes = 32;

/** The cause of a refusal: the passkey may have been copied. */
class CounterWentBack extends Error {
  constructor(readonly passkey: RegisteredPasskey) {
    super('signature counter');
  }
}

/**
 * Signatures of members over a statement. The challenge is a random nonce followed by the digest of the statement, so
 * that the signature proves what it was made for without any record of ours.
 */
@Injectable()
export class PasskeyAssertionsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly challengeStore: ChallengeStore,
    private readonly webAuthn: WebAuthnService,
  ) {}

  requireAvailable(): void {
    if (!this.webAuthn.isAvailable)
      throw passkeysUnavailable('Passkeys do not work at the address of this server: it needs a host name and https.');
  }

  listOf(tx: Tx, tenantId: string, memberIds: readonly string[]): Promise<RegisteredPasskey[]> {
    return tx.run(passkeysOfMembers, [tenantId, memberIds]);
  }

  /** Returns the WebAuthn options for the browser. Only the session that requests them can answer. */
  async request(principal: Principal, statement: string, passkeys: readonly RegisteredPasskey[]) {
    const { tenantId, memberId, sessionId } = requireSession(principal);
    const context = { tenantId, memberId, sessionId };
    const suffix = sha256(statement);
    const options = { suffix, lifetimeSeconds };
    const challenge = await this.challengeStore.issue(sessionId, 'passkey-statement', context, options);
    return this.webAuthn.authenticationOptions(challenge, [...passkeys]);
  }

  /** Invalidates the challenge, whatever happens to the response afterwards. */
  async receive(principal: Principal, text: unknown): Promise<ReceivedAssertion> {
    const { memberId, sessionId } = requireSession(principal);
    const { response, challenge } = parseAuthenticationResponse(text);
    const stored = await this.challengeStore.consume(sessionId, challenge, ['passkey-statement']);
    if (stored?.memberId !== memberId || stored.sessionId !== sessionId)
      throw passkeyRefused('The request for the passkey was started elsewhere, has expired, or was already answered.');
    return { response, challenge };
  }

  /**
   * Verifies that one of these passkeys signed this statement, and advances its counter. Runs in the transaction that
   * uses the assertion.
   */
  async verify(
    tx: Tx,
    { tenantId, memberId }: { tenantId: string; memberId: string },
    { response, challenge }: ReceivedAssertion,
    { statement, passkeys }: { statement: string; passkeys: readonly RegisteredPasskey[] },
  ): Promise<PasskeyAssertion> {
    const credentialId = Buffer.from(response.id, 'base64url');
    const passkey = passkeys.find((one) => one.memberId === memberId && one.credentialId.equals(credentialId));
    if (!passkey) throw passkeyRefused('This passkey does not count here.');
    const { userHandle, clientDataJSON, authenticatorData, signature } = response.response;
    if (userHandle !== undefined && memberIdOfUserHandle(userHandle) !== memberId)
      throw passkeyRefused('This passkey belongs to another account.');
    if (!constantTimeEqual(challenge.subarray(nonceBytes), sha256(statement)))
      throw passkeyRefused('The passkey was used for something else: another call, step, decision or person.');
    const { counter, isSynced } = await this.webAuthn.verifyAssertion(response, challenge, passkey);
    if (!(await tx.execute(updatePasskeyCounter, [tenantId, passkey.id, counter, isSynced])))
      throw passkeyRefused(
        'The signature counter of the passkey went backwards, which suggests that the passkey was copied.',
        { cause: new CounterWentBack(passkey) },
      );
    return {
      passkeyId: passkey.id,
      memberId,
      credentialId,
      publicKey: passkey.publicKey,
      statement,
      clientData: Buffer.from(clientDataJSON, 'base64url'),
      authenticatorData: Buffer.from(authenticatorData, 'base64url'),
      signature: Buffer.from(signature, 'base64url'),
      counter,
      isSynced,
    };
  }

  /** Call after the transaction of `verify` was rolled back. */
  async recordCounter(tenantId: string, refusal: Error): Promise<void> {
    if (!(refusal.cause instanceof CounterWentBack)) return;
    const { id, memberId } = refusal.cause.passkey;
    const principal = systemPrincipal(tenantId, 'sign-in');
    await this.database.tenant(principal, (tx) =>
      this.audit.record(tx, principal, {
        kind: 'passkey.counter_went_back',
        subject: { type: 'member', id: memberId },
        detail: { by: 'passkey', reason: refusal.message, passkeyId: id },
      }),
    );
  }
}

import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { Config } from '../../platform/config/config.js';
import { passkeyRefused, passkeysUnavailable } from '../access.error.js';
import type { Member } from '../member.entity.js';
import type { Passkey } from '../passkey.entity.js';

type RegisteredPasskey = Pick<Passkey, 'credentialId' | 'transports'>;
export type NewPasskeyCredential = Pick<Passkey, 'credentialId' | 'publicKey' | 'counter' | 'transports' | 'isSynced'>;

/** Ed25519, ES256, RS256 (IANA COSE algorithms) */
const algorithms = [-8, -7, -257];
const timeout = 5 * 60 * 1000;

/**
 * The WebAuthn ceremonies for this server's host name. Passkeys are discoverable and require user verification, so each
 * one is a complete sign-in method.
 */
@Injectable()
export class WebAuthnService {
  constructor(private readonly config: Config) {}

  /** Browsers accept passkeys only for host names, not for IP addresses, and only over a secure connection. */
  get isAvailable(): boolean {
    const { protocol, hostname } = new URL(this.config.baseUrl);
    return !isIP(hostname.replace(/^\[|\]$/g, '')) && (protocol === 'https:' || hostname === 'localhost');
  }

  registrationOptions(challenge: Buffer, { id, email, name }: Member, present: RegisteredPasskey[]) {
    return generateRegistrationOptions({
      rpName: 'Countersign',
      rpID: this.rpId,
      userID: userHandleOf(id),
      userName: email,
      userDisplayName: name,
      challenge: new Uint8Array(challenge),
      timeout,
      excludeCredentials: present.map(credentialDescriptor),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      supportedAlgorithmIDs: algorithms,
    });
  }

  /** Without `allowed`, the person may use any passkey for this server. */
  authenticationOptions(challenge: Buffer, allowed?: RegisteredPasskey[]) {
    return generateAuthenticationOptions({
      rpID: this.rpId,
      challenge: new Uint8Array(challenge),
      timeout,
      allowCredentials: allowed?.map(credentialDescriptor),
      userVerification: 'required',
    });
  }

  async verifyRegistration(response: RegistrationResponseJSON, challenge: Buffer): Promise<NewPasskeyCredential> {
    const { verified, registrationInfo } = await orPasskeyRefused(
      verifyRegistrationResponse({
        response,
        supportedAlgorithmIDs: algorithms,
        ...this.verificationOptions(challenge),
      }),
    );
    if (!verified) throw passkeyRefused('The signature of the passkey response is not valid.');
    const { credential, credentialBackedUp } = registrationInfo;
    return {
      credentialId: Buffer.from(credential.id, 'base64url'),
      publicKey: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports: (response.response.transports ?? []).filter((transport) => /^[a-z-]{1,20}$/.test(transport)),
      isSynced: credentialBackedUp,
    };
  }

  /** Returns the signature counter. The caller compares it with the stored one. */
  async verifyAssertion(
    response: AuthenticationResponseJSON,
    challenge: Buffer,
    { credentialId, publicKey }: Pick<Passkey, 'credentialId' | 'publicKey'>,
  ): Promise<{ counter: number; isSynced: boolean }> {
    const credential = { id: credentialId.toString('base64url'), publicKey: new Uint8Array(publicKey), counter: 0 };
    const { verified, authenticationInfo } = await orPasskeyRefused(
      verifyAuthenticationResponse({ response, credential, ...this.verificationOptions(challenge) }),
    );
    if (!verified) throw passkeyRefused('The signature does not match the passkey.');
    return { counter: authenticationInfo.newCounter, isSynced: authenticationInfo.credentialBackedUp };
  }

  private verificationOptions(challenge: Buffer) {
    return {
      expectedChallenge: challenge.toString('base64url'),
      expectedOrigin: new URL(this.config.baseUrl).origin,
      expectedRPID: this.rpId,
      requireUserVerification: true,
    };
  }

  private get rpId(): string {
    if (!this.isAvailable) throw passkeysUnavailable(`Passkeys do not work at ${this.config.baseUrl}.`);
    return new URL(this.config.baseUrl).hostname;
  }
}

/** The library throws if the response does not verify. */
async function orPasskeyRefused<T>(verification: Promise<T>): Promise<T> {
  return verification.catch((error: unknown) => {
    throw passkeyRefused('The passkey response is not valid: it was created for another page, address or request.', {
      cause: error,
    });
  });
}

const credentialDescriptor = ({ credentialId, transports }: RegisteredPasskey) => ({
  id: credentialId.toString('base64url'),
  transports,
});

/** The user handle is the member id as bytes; it contains no personal data (WebAuthn Level 3, section 14.6.1). */
const userHandleOf = (uuid: string) => new Uint8Array(Buffer.from(uuid.replaceAll('-', ''), 'hex'));

/** Null if it is not a member id. */
export function memberIdOfUserHandle(userHandle: string | undefined): string | null {
  const hex = Buffer.from(userHandle ?? '', 'base64url').toString('hex');
  return hex.length === 32 ? hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5') : null;
}

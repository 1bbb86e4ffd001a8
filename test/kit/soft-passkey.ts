import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

interface PasskeyTraits {
  origin?: string;
  rpId?: string;
  type?: string;
  /** Sets the user-verified flag. */
  isVerified?: boolean;
  isPresent?: boolean;
  /** Devices without a signature counter always send 0. */
  isCounting?: boolean;
}

interface PasskeyOverrides extends PasskeyTraits {
  challenge?: string;
  crossOrigin?: boolean;
  userHandle?: string | null;
  isForged?: boolean;
}

/** A software authenticator: produces valid browser responses, and invalid ones. */
export class SoftPasskey {
  readonly id: string;
  userHandle: string | null = null;
  counter = 0;
  private readonly publicKey: KeyObject;
  private readonly privateKey: KeyObject;

  constructor(
    private readonly url: string,
    private readonly traits: PasskeyTraits = {},
    id = randomBytes(32).toString('base64url'),
  ) {
    this.id = id;
    ({ publicKey: this.publicKey, privateKey: this.privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' }));
  }

  /** The response of `navigator.credentials.create()`, as JSON. */
  create({ challenge, user }: { challenge: string; user?: { id: string } }) {
    this.userHandle = user?.id ?? null;
    const traits = { type: 'webauthn.create', ...this.traits };
    const id = Buffer.from(this.id, 'base64url');
    const attested = Buffer.concat([Buffer.alloc(16), Buffer.of(id.length >> 8, id.length & 255), id, this.coseKey()]);
    const authData = Buffer.concat([this.authenticatorData(traits, 0x40), attested]);
    const attestationObject = Buffer.concat([
      Buffer.of(0xa3),
      cborText('fmt'),
      cborText('none'),
      cborText('attStmt'),
      Buffer.of(0xa0),
      cborText('authData'),
      cborBytes(authData),
    ]);
    return this.credentialResponse({
      clientDataJSON: this.clientData(challenge, traits),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal'],
    });
  }

  /** The response of `navigator.credentials.get()`, as JSON. */
  get({ challenge }: { challenge: string }, overrides: PasskeyOverrides = {}) {
    const traits = { type: 'webauthn.get', ...this.traits, ...overrides };
    if (this.traits.isCounting !== false) this.counter++;
    const authenticatorData = this.authenticatorData(traits, 0);
    const clientDataJSON = this.clientData(traits.challenge ?? challenge, traits);
    const signed = Buffer.concat([authenticatorData, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
    return this.credentialResponse({
      clientDataJSON,
      authenticatorData: authenticatorData.toString('base64url'),
      signature: sign('sha256', traits.isForged ? Buffer.from('else') : signed, this.privateKey).toString('base64url'),
      userHandle: traits.userHandle === undefined ? this.userHandle : traits.userHandle,
    });
  }

  private credentialResponse(response: object) {
    return { id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {}, response };
  }

  private clientData(challenge: string, { type, origin, crossOrigin = false }: PasskeyOverrides): string {
    const data = { type, challenge, origin: origin ?? new URL(this.url).origin, crossOrigin };
    return Buffer.from(JSON.stringify(data)).toString('base64url');
  }

  private authenticatorData({ rpId, isVerified = true, isPresent = true }: PasskeyTraits, flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    const all = flags | (isPresent ? 0x01 : 0) | (isVerified ? 0x04 : 0);
    return Buffer.concat([sha256(rpId ?? new URL(this.url).hostname), Buffer.of(all), counter]);
  }

  /** {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y} */
  private coseKey(): Buffer {
    const { x, y } = this.publicKey.export({ format: 'jwk' });
    return Buffer.concat([
      Buffer.of(0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21),
      cborBytes(Buffer.from(x!, 'base64url')),
      Buffer.of(0x22),
      cborBytes(Buffer.from(y!, 'base64url')),
    ]);
  }
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();

// the subset of CBOR (RFC 8949) that passkeys need
const cborText = (value: string) => Buffer.concat([Buffer.of(0x60 | value.length), Buffer.from(value)]);
const cborBytes = (value: Buffer) =>
  Buffer.concat([
    value.length < 256 ? Buffer.of(0x58, value.length) : Buffer.of(0x59, value.length >> 8, value.length & 255),
    value,
  ]);

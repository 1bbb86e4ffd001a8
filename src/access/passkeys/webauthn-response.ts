import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import { passkeyRefused } from '../access.error.js';

const base64url = z
  .string()
  .max(16_384)
  .regex(/^[A-Za-z0-9_-]+$/);
const credentialFields = {
  id: base64url,
  rawId: base64url,
  type: z.literal('public-key'),
  clientExtensionResults: z.looseObject({}),
};

const registrationSchema = z.object({
  ...credentialFields,
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z.array(z.string().max(20)).max(10).optional(),
  }),
});
const authenticationSchema = z.object({
  ...credentialFields,
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: base64url.nullish().transform((handle) => handle ?? undefined),
  }),
});

interface ParsedWebAuthnResponse<T> {
  response: T;
  /** The challenge that it answers. */
  challenge: Buffer;
}

/** Parse the output of `PublicKeyCredential.toJSON()` from a form. The content is not verified yet. */
export const parseRegistrationResponse = (text: unknown): ParsedWebAuthnResponse<RegistrationResponseJSON> =>
  parseWebAuthnResponse(text, registrationSchema);
export const parseAuthenticationResponse = (text: unknown): ParsedWebAuthnResponse<AuthenticationResponseJSON> =>
  parseWebAuthnResponse(text, authenticationSchema);

function parseWebAuthnResponse<T extends { response: { clientDataJSON: string } }>(
  text: unknown,
  schema: z.ZodType<T>,
): ParsedWebAuthnResponse<T> {
  const response = schema.safeParse(parseFormJson(text));
  if (!response.success) throw passkeyRefused('This is not a valid passkey response.', { cause: response.error });
  const clientData = clientDataSchema.safeParse(
    parseFormJson(Buffer.from(response.data.response.clientDataJSON, 'base64url').toString()),
  );
  if (!clientData.success) throw passkeyRefused('This is not a valid passkey response.', { cause: clientData.error });
  return { response: response.data, challenge: Buffer.from(clientData.data.challenge, 'base64url') };
}

/** Our pages cannot be framed, so a genuine response is never cross-origin. */
const clientDataSchema = z.object({ challenge: base64url, crossOrigin: z.literal(false).optional() });

function parseFormJson(text: unknown): unknown {
  if (typeof text !== 'string' || text.length > 65_536) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

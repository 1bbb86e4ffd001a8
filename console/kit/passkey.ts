/** The answer of the person's passkey, as JSON text. `options`: of the server, as JSON text. Throws `PasskeyError`. */
export async function signWithPasskey(options: string): Promise<string> {
  if (!window.PublicKeyCredential?.parseRequestOptionsFromJSON)
    throw new PasskeyError('This browser does not support passkeys. Update it, or use another one.');
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(options));
  try {
    const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential;
    return JSON.stringify(credential.toJSON());
  } catch (error) {
    throw new PasskeyError(explain(error as Error));
  }
}

/** The person did not answer, or cannot. The message says what to do. */
export class PasskeyError extends Error {}

const explain = ({ name, message }: Error): string =>
  name === 'NotAllowedError'
    ? 'The request was canceled or timed out, or this device has none of your passkeys. Nothing was decided. Try again.'
    : `The browser could not use the passkey: ${message}. Nothing was decided.`;

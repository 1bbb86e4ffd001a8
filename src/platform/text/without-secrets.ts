const minSecretLength = 4;

/** Replaces credentials in text of another system, which can repeat them in an error. */
export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets
    .filter((secret) => secret.length >= minSecretLength)
    .sort((a, b) => b.length - a.length) // a secret can contain another one
    .reduce((rest, secret) => rest.replaceAll(secret, '…'), text);

/** The value of an authorization header and its parts: the token, or user name and password of Basic authentication. */
export function secretsInHeader(header: string): string[] {
  const [scheme, value = ''] = header.split(' ');
  const decoded = scheme === 'Basic' ? Buffer.from(value, 'base64').toString() : '';
  return [header, value || scheme, decoded, decoded.slice(decoded.indexOf(':') + 1)];
}

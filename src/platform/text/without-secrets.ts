const minSecretLength = 4;

/** Replaces credentials in text of another system, which can repeat them in an error. */
export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets
    .filter((secret) => secret.length >= minSecretLength)
    .sort((a, b) => b.length - a.length) // a secret can contain another one
    .reduce((rest, secret) => rest.replaceAll(secret, '…'), text);

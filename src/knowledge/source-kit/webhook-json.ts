/** Null: the body of a webhook is not JSON. */
export function webhookJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    return null;
  }
}

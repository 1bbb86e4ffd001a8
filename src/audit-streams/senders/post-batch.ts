import type { OutboundHttpClient } from '../../platform/http/outbound-http-client.service.js';
import { OutboundHttpError } from '../../platform/http/outbound-http.error.js';
import { retryAfterSecondsOf } from '../../platform/http/retry-after.js';
import { StreamFailure } from './stream-failure.js';

/** The content is wrong or too large for the receiver, whenever it is sent. */
const rejections = [400, 413, 422];

/** Returns the response if its status is 2xx. Its body must be read or cancelled. */
export async function postBatch(
  http: OutboundHttpClient,
  address: string,
  body: string,
  headers: RequestInit['headers'],
  signal: AbortSignal,
): Promise<Response> {
  let response: Response;
  try {
    response = await http.fetch(address, {
      method: 'POST',
      redirect: 'error',
      headers,
      body,
      headersTimeoutMs: 15_000,
      maxBytes: 256 * 1024,
      signal,
    });
  } catch (error) {
    if (error instanceof OutboundHttpError) throw new StreamFailure(error.message);
    throw error;
  }
  if (response.ok) return response;
  await response.body?.cancel();
  throw new StreamFailure(
    `The receiver answered with status ${response.status}.`,
    retryAfterSecondsOf(response.headers),
    rejections.includes(response.status),
  );
}

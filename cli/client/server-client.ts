import { CommandError } from '../command-error.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { protocolVersion, userAgent } from '../version.js';

/** A server and the credential for it. */
export interface ServerAccess {
  /** Without a slash at the end. */
  baseUrl: string;
  token: string;
  /** Where the person has the token from, if it is not from `countersign login`. */
  tokenSource?: string;
  /** Gets another token after the server refused this one; null if there is none. */
  renew?: (refusedToken: string) => Promise<string | null>;
}

interface ProblemBody {
  title?: string;
  detail?: string;
  code?: string;
  errors?: { pointer: string; detail: string }[];
  callId?: string;
}

/** No request takes longer, except streams. */
const requestSeconds = 60;

/**
 * Requests to the server. An answer that is no success ends the command: 401 as `unauthenticated`, denials as `denied`,
 * others with the problem's code and text; a server that cannot be reached as `unavailable`.
 */
export class ServerClient {
  constructor(private readonly access: ServerAccess) {}

  get baseUrl(): string {
    return this.access.baseUrl;
  }

  async request(path: string, init: RequestInit = {}): Promise<Response> {
    const response = await this.send(path, init);
    if (response.ok) return response;
    if (response.status === 401 && this.access.renew) {
      const token = await this.access.renew(this.access.token);
      if (token) {
        this.access.token = token;
        const again = await this.send(path, init);
        if (again.ok) return again;
        throw await problemOf(again, this.access);
      }
    }
    throw await problemOf(response, this.access);
  }

  async getJson<T>(path: string): Promise<T> {
    return readJson(await this.request(path), this.baseUrl);
  }

  async postJson<T>(path: string, body: unknown, headers: Record<string, string> = {}): Promise<T> {
    return this.postText(path, JSON.stringify(body), headers);
  }

  /** `text`: JSON that reaches the server byte for byte. */
  async postText<T>(path: string, text: string, headers: Record<string, string> = {}): Promise<T> {
    const allHeaders = { 'content-type': 'application/json', ...headers };
    return readJson(await this.request(path, { method: 'POST', headers: allHeaders, body: text }), this.baseUrl);
  }

  private send(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${this.access.token}`);
    headers.set('countersign-protocol', String(protocolVersion));
    return fetchFrom(this.baseUrl, path, { ...init, headers });
  }
}

/** A request without a credential. Throws `unavailable` if there is no response. */
export async function fetchFrom(baseUrl: string, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('user-agent', userAgent);
  const signal = init.signal ?? AbortSignal.timeout(requestSeconds * 1000);
  try {
    return await fetch(`${baseUrl}${path}`, { redirect: 'error', ...init, headers, signal });
  } catch (error) {
    throw unreachable(baseUrl, error);
  }
}

/** The body of a success. A connection that breaks is unreachable; anything but JSON comes from another server. */
export async function readJson<T>(response: Response, baseUrl: string): Promise<T> {
  try {
    return (await response.json()) as T;
  } catch (error) {
    if (error instanceof SyntaxError) throw noCountersign(response, baseUrl);
    throw unreachable(baseUrl, error);
  }
}

export function unreachable(baseUrl: string, error: unknown): CommandError {
  const { cause, name, message } = error as {
    cause?: { code?: string; message?: string };
    name: string;
    message: string;
  };
  const why =
    name === 'TimeoutError' ? `no answer within ${requestSeconds} seconds` : (cause?.code ?? cause?.message ?? message);
  return new CommandError(exitCodes.unavailable, 'unreachable', `${baseUrl} cannot be reached (${why}).`);
}

/** Codes with which a policy, a person or a pause stops a call. */
const denials = new Set([
  'policy-denied',
  'approval-denied',
  'approval-expired',
  'approval-unreachable',
  'withdrawn',
  'not-permitted',
  'paused',
]);
const failedExecutions = new Set(['upstream-failed', 'outcome-unsettled', 'account-needed', 'capability-needed']);

/** The exit code of a problem of the server, or of the error of a call. */
export function exitCodeOf(code: string, status?: number): ExitCode {
  if (denials.has(code)) return exitCodes.denied;
  if (failedExecutions.has(code)) return exitCodes.executionFailed;
  if (code === 'invalid-request' || code === 'invalid-arguments' || code === 'configuration-required')
    return exitCodes.usage;
  if (code === 'unsupported-command-line' || status === 503) return exitCodes.unavailable;
  if (status === 401 || status === 403) return exitCodes.unauthenticated;
  return exitCodes.failure;
}

/** GraphQL answers with a list of errors, also if it refuses the credential. */
function problemIn(body: unknown): (ProblemBody & { code: string }) | null {
  const [error] = (body as { errors?: { message?: string; extensions?: ProblemBody }[] } | null)?.errors ?? [];
  const problem = error?.extensions ? { ...error.extensions, detail: error.message } : (body as ProblemBody | null);
  return typeof problem?.code === 'string' ? { ...problem, code: problem.code } : null;
}

async function problemOf(response: Response, access: ServerAccess): Promise<CommandError> {
  const body = problemIn(await response.json().catch(() => null));
  if (!body) return noCountersign(response, access.baseUrl);
  const { code, title, detail, errors = [], callId } = body;
  if (response.status === 401) return new CommandError(exitCodes.unauthenticated, code, refusalText(access));
  // the detail of invalid arguments already names each of them
  const faults = errors.filter((one) => !detail?.includes(one.detail));
  const lines = faults.map(({ pointer, detail: fault }) => `\n  ${pointer.replace(/^\//, '') || 'body'} ${fault}`);
  const message = `${detail ?? title ?? code}${lines.join('')}`;
  return new CommandError(exitCodeOf(code, response.status), code, message, {
    ...(errors.length ? { errors } : {}),
    ...(callId ? { callId } : {}),
  });
}

const refusalText = ({ baseUrl, tokenSource }: ServerAccess): string =>
  tokenSource
    ? `${baseUrl} does not accept the token of ${tokenSource}: it has expired, was revoked, or is of another kind.`
    : `Your sign-in at ${baseUrl} has expired or was revoked. Run "countersign login ${baseUrl}".`;

/** A proxy, another program, or a server from before the command line. */
const noCountersign = ({ status }: Response, baseUrl: string): CommandError =>
  new CommandError(
    exitCodes.unavailable,
    'unexpected-response',
    `${baseUrl} answered with status ${status} and nothing that the command line understands. It is not a Countersign server, or it cannot be reached through its proxy.`,
  );

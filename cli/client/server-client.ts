import { CommandError } from '../command-error.js';
import { exitCodes } from '../exit-codes.js';

/** A server and the credential for it. */
export interface ServerAccess {
  /** Without a slash at the end. */
  baseUrl: string;
  token: string;
}

interface ProblemBody {
  title?: string;
  detail?: string;
  code?: string;
}

/**
 * Requests to the server. An answer that is no success ends the command: 401 and 403 as `unauthenticated`, others with the
 * problem's code and text; a server that cannot be reached as `unavailable`.
 */
export class ServerClient {
  constructor(private readonly access: ServerAccess) {}

  get baseUrl(): string {
    return this.access.baseUrl;
  }

  async request(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${this.access.token}`);
    let response: Response;
    try {
      response = await fetch(`${this.access.baseUrl}${path}`, { redirect: 'error', ...init, headers });
    } catch (error) {
      const cause = (error as { cause?: { code?: string } }).cause?.code ?? (error as Error).message;
      throw new CommandError(
        exitCodes.unavailable,
        'unreachable',
        `${this.access.baseUrl} cannot be reached (${cause}).`,
      );
    }
    if (response.ok) return response;
    throw await problemOf(response);
  }

  async getJson<T>(path: string): Promise<T> {
    return (await this.request(path)).json() as Promise<T>;
  }

  async postJson<T>(path: string, body: unknown): Promise<T> {
    const headers = { 'content-type': 'application/json' };
    const response = await this.request(path, { method: 'POST', headers, body: JSON.stringify(body) });
    return response.json() as Promise<T>;
  }
}

async function problemOf(response: Response): Promise<CommandError> {
  const body = (await response.json().catch(() => ({}))) as ProblemBody;
  const isRefused = response.status === 401 || response.status === 403;
  const exitCode = isRefused ? exitCodes.unauthenticated : exitCodes.failure;
  const message = body.detail ?? body.title ?? `The server answered with status ${response.status}.`;
  return new CommandError(exitCode, body.code ?? `http-${response.status}`, message);
}

import { GroupsService } from '../../src/access/groups.service.js';
import type { Member } from '../../src/access/member.entity.js';
import { ConfigurationsService } from '../../src/configurations/configurations.service.js';
import type { Role } from '../../src/principal/permissions.js';
import type { Contract } from './contract.js';
import type { GateFixture } from './gate-fixture.js';
import { aProduct, type Product } from './product.js';
import type { TestServer } from './server.js';
import { WireStream } from './wire.js';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests know the type of the response
export type ApiResponse<T = any> = { status: number; headers: Headers; body: T };

/** A raw client of `/v1`, or of `/cli` with the same operations, with one access token. */
export class Api {
  constructor(
    readonly url: string,
    readonly token: string,
    /** Checks every response against this contract. */
    private readonly contract?: Contract,
    private readonly basePath: '/v1' | '/cli' = '/v1',
  ) {}

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests know the type of the response
  async call<T = any>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse<T>> {
    const response = await this.fetch(method, path, body, headers);
    const text = await response.text();
    const responseBody = (text ? JSON.parse(text) : undefined) as T;
    const { status, headers: responseHeaders } = response;
    if (method !== 'HEAD')
      this.contract?.check(
        method,
        `${this.basePath}${path}`,
        status,
        responseHeaders.get('content-type'),
        responseBody,
      );
    return { status, headers: responseHeaders, body: responseBody };
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests know the type of the response
  get<T = any>(path: string, headers?: Record<string, string>): Promise<ApiResponse<T>> {
    return this.call('GET', path, undefined, headers);
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests know the type of the response
  post<T = any>(path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse<T>> {
    return this.call('POST', path, body, headers);
  }

  fetch(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<Response> {
    return fetch(`${this.url}${this.basePath}${path}`, {
      method,
      signal,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  /** Polls until the predicate is true. Fails after two minutes with the last response. */
  async until<T>(path: string, isIt: (body: T) => boolean): Promise<T> {
    const deadline = Date.now() + 120_000;
    for (;;) {
      const { body } = await this.get<T>(path);
      if (isIt(body)) return body;
      if (Date.now() > deadline) throw new Error(`${path} is ${JSON.stringify(body)}`);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  async events(id: string, lastEventId?: number): Promise<WireStream> {
    const abort = new AbortController();
    const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) };
    const response = await this.fetch('GET', `/tasks/${id}/events`, undefined, headers, abort.signal);
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    return new WireStream(response, abort);
  }
}

/** A member whose group can use the fixture's configuration. */
export async function aUser(fixture: GateFixture, name = 'Uma User', roles: Role[] = ['member']): Promise<Member> {
  const { organization } = fixture;
  const admin = await fixture.principalOf();
  const group = await fixture.get(GroupsService).create(organization.system, `Group of ${name} ${Date.now()}`);
  const configurations = fixture.get(ConfigurationsService);
  const { groupIds } = await configurations.getBundle(admin, fixture.configurationId);
  await configurations.update(admin, {
    configurationId: fixture.configurationId,
    groupIds: [...groupIds, group.id],
  });
  return organization.member({ name, roles, groupIds: [group.id] });
}

/** An API client with a token that the person granted to an OAuth client. */
export async function apiOf(
  server: TestServer,
  fixture: GateFixture,
  person: Member,
  { scope = 'api:write', product, contract }: { scope?: string; product?: Product; contract?: Contract } = {},
): Promise<Api> {
  const through = product ?? (await aProduct(server, fixture.organization));
  const { access_token } = await through.tokens(person, { scope });
  return new Api(server.url, access_token, contract);
}

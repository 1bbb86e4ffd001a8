import { ConnectionsService } from '../../src/connections/connections.service.js';
import {
  type Conversation,
  type OfferedTool,
  type ToolResult,
  ToolsService,
} from '../../src/connections/tools.service.js';
import { newId } from '../../src/platform/crypto/ids.js';
import type { JsonObject } from '../../src/platform/json/strict-json.js';
import type { Principal } from '../../src/principal/principal.js';
import { sessionPrincipal } from './gate-fixture.js';
import { McpUpstream } from './mcp-upstream.js';
import { anOrganization, type Organization } from './organization.js';
import { type TestServer, testServer } from './server.js';

export interface McpConnectionRef {
  id: string;
  slug: string;
}

interface McpCallOptions {
  args?: JsonObject;
  conversation?: Conversation;
  signal?: AbortSignal;
}

/** An organization and an upstream. Each test can create new connections between them. */
export class McpFixture {
  private constructor(
    private readonly server: TestServer,
    private readonly organization: Organization,
    readonly admin: Principal,
    readonly upstream: McpUpstream,
  ) {}

  static async start(): Promise<McpFixture> {
    const [server, upstream] = await Promise.all([testServer(), McpUpstream.start()]);
    const organization = await anOrganization(server);
    return new McpFixture(
      server,
      organization,
      await sessionPrincipal(server, organization, organization.admin),
      upstream,
    );
  }

  /** The principal for services that are called without a person. */
  get system(): Principal {
    return this.organization.system;
  }

  get<T>(service: abstract new (...args: never[]) => T): T {
    return this.server.app.get<T>(service as never);
  }

  connect(settings: object = {}, secrets: Record<string, string> = {}): ReturnType<ConnectionsService['create']> {
    return this.get(ConnectionsService).create(this.admin, {
      kind: 'mcp',
      name: 'Upstream',
      slug: `u${newId().slice(-12)}`,
      settings: { url: this.upstream.url, timeoutSeconds: 20, ...settings },
      secrets,
    });
  }

  async listTools({ id, slug }: McpConnectionRef): Promise<OfferedTool[]> {
    const tools = await this.get(ToolsService).list(this.system, { configurationId: newId(), connectionIds: [id] });
    return tools.filter((tool) => tool.connectionSlug === slug);
  }

  /** Calls a tool without the gate and returns its own result. */
  async call(
    { id, slug }: McpConnectionRef,
    name: string,
    { args = {}, conversation, signal = new AbortController().signal }: McpCallOptions = {},
  ): Promise<ToolResult> {
    const bundle = { configurationId: newId(), connectionIds: [id] };
    const found = await this.get(ToolsService).find(this.system, bundle, `${slug}__${name}`);
    const who = { principal: this.system, readerGroups: [], idempotencyKey: newId() };
    return this.get(ToolsService).execute({ ...bundle, ...who, signal, conversation }, found!, args);
  }

  /** Clears the faults and the records of the upstream. */
  reset(): void {
    this.upstream.fault = undefined;
    this.upstream.forgetRequests();
  }

  async close(): Promise<void> {
    await this.server.close();
    this.upstream.stop();
  }
}

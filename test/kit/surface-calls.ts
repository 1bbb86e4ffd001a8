import type { Member } from '../../src/access/member.entity.js';
import { AgentsService } from '../../src/configurations/agents.service.js';
import { KeysService } from '../../src/configurations/keys.service.js';
import { newId } from '../../src/platform/crypto/ids.js';
import { Api } from './api.js';
import { type BindingReply, GrpcBinding } from './a2a-bindings.js';
import { anAssistantProduct } from './assistants.js';
import type { CommandLine, CommandResult } from './command-line.js';
import type { GateFixture } from './gate-fixture.js';
import { aProduct, type OauthTokens, type Product } from './product.js';
import { envelope, Rpc } from './rpc.js';
import type { TestServer } from './server.js';
import { SessionWire } from './session-wire.js';
import { aTerminal, refreshTerminal } from './terminal.js';
import { newTaskId, Wire, type WireResponse } from './wire.js';

/*
 * The same call through every surface: our A2A wire and the open protocol, MCP, the API, the command line as a process of
 * its own, and tasks of the last two. The command sends tasks as text, which a model would turn into calls, so that their
 * rows use the endpoints of the command.
 */

/** A call with its arguments as JSON text, which reaches the server byte for byte. */
export interface SurfaceCall {
  tool: string;
  args: string;
}

export interface SentCall {
  /** Everything that the caller receives of the outcome up to now, as JSON. */
  received(): Promise<string>;
  /** Sends the same request again, and returns the response as JSON. */
  repeat(): Promise<string>;
  /** The status of the response to the request; for a command, 400 stands for every exit code but 0. */
  status(): Promise<number>;
}

const minTokenLifeMs = 4 * 60_000; // of ten minutes

/** The tokens of a member for one product or terminal, refreshed before they expire. */
class FreshTokens {
  private refreshAt = 0;
  private tokens?: OauthTokens;

  private constructor(
    private readonly begin: () => Promise<OauthTokens>,
    private readonly refresh: (refreshToken: string) => Promise<OauthTokens>,
    readonly product?: Product,
  ) {}

  static ofProduct(product: Product, member: Member): FreshTokens {
    return new FreshTokens(
      () => product.tokens(member, { scope: 'api:write' }),
      async (refreshToken) => (await product.refresh(refreshToken)).body,
      product,
    );
  }

  static ofTerminal({ url }: TestServer, { organization }: GateFixture, member: Member): FreshTokens {
    return new FreshTokens(
      async () => aTerminal(url, await organization.browser(member), 'api:write'),
      (refreshToken) => refreshTerminal(url, refreshToken),
    );
  }

  async get(): Promise<string> {
    if (Date.now() > this.refreshAt) {
      this.tokens = this.tokens ? await this.refresh(this.tokens.refresh_token) : await this.begin();
      this.refreshAt = Date.now() + minTokenLifeMs;
    }
    return this.tokens!.access_token;
  }
}

/** One person on every surface: their assistant, product and terminal, and an agent that they are responsible for. */
export class SurfaceCaller {
  private openSession?: SessionWire;
  private openGrpc?: GrpcBinding;

  private constructor(
    readonly member: Member,
    readonly agentId: string,
    readonly keyId: string,
    public wire: Wire,
    readonly configurationId: string,
    private readonly url: string,
    private readonly tokens: Record<'mcp' | 'api' | 'session' | 'cli', FreshTokens>,
    private readonly commandLine: CommandLine,
  ) {}

  static async create(
    server: TestServer,
    fixture: GateFixture,
    member: Member,
    commandLine: CommandLine,
  ): Promise<SurfaceCaller> {
    const { configurationId, organization } = fixture;
    const own = await fixture.principalOf(member);
    const agent = await fixture.get(AgentsService).create(own, { configurationId, name: `Agent of ${member.name}` });
    const { a2aKey, key } = await fixture.get(KeysService).create(own, agent.id);
    const tokens = {
      mcp: FreshTokens.ofProduct(await anAssistantProduct(server, fixture), member),
      api: FreshTokens.ofProduct(await aProduct(server, organization), member),
      // through the same product, a call would receive the outcome of the earlier one
      session: FreshTokens.ofProduct(await anAssistantProduct(server, fixture), member),
      cli: FreshTokens.ofTerminal(server, fixture, member),
    };
    return new SurfaceCaller(
      member,
      agent.id,
      a2aKey.id,
      new Wire(`${server.url}/agents/${configurationId}`, key),
      configurationId,
      server.url,
      tokens,
      commandLine.with(),
    );
  }

  get products(): Product[] {
    return Object.values(this.tokens).flatMap(({ product }) => product ?? []);
  }

  mcp = async () => new Rpc(this.url, await this.tokens.mcp.get());
  api = async () => new Api(this.url, await this.tokens.api.get());
  cli = async () => new Api(this.url, await this.tokens.cli.get(), undefined, '/cli');
  /** Runs `countersign`. */
  command = async (args: string[], input = ''): Promise<CommandResult> => {
    const env = {
      COUNTERSIGN_URL: this.url,
      COUNTERSIGN_TOKEN: await this.tokens.cli.get(),
      COUNTERSIGN_CONFIGURATION: this.configurationId,
    };
    return this.commandLine.run([...args, '--json'], { env, input });
  };
  grpc = async () =>
    (this.openGrpc ??= await GrpcBinding.to({ configurationId: this.configurationId, key: this.wire.key }, this.url));
  session = async () => {
    const token = await this.tokens.session.get();
    this.openSession ??= await new SessionWire(this.url, token).begin();
    return this.openSession.at(this.url, { token });
  };

  close(): void {
    this.openGrpc?.close();
  }
}

/** Sends a call. */
type Surface = (caller: SurfaceCaller, call: SurfaceCall) => SentCall;

/** Puts the arguments into a body as they are. */
const withArguments = (body: object, args: string) => JSON.stringify(body).replace('"$arguments"', () => args);
const dataPart = (tool: string) => ({ data: { tool, arguments: '$arguments' } });

type SurfaceResponse = Pick<WireResponse, 'status' | 'body'>;

/** A task: its outcome is read. `sendAgain`: if the request itself would create another task. */
function taskCall(
  send: () => Promise<SurfaceResponse>,
  get: (sent: SurfaceResponse) => Promise<SurfaceResponse>,
  sendAgain: (sent: SurfaceResponse) => Promise<SurfaceResponse> = send,
): SentCall {
  const first = send();
  return {
    received: async () => {
      const sent = await first;
      const isRefused = sent.status >= 400 || sent.body.error !== undefined;
      return JSON.stringify(isRefused ? sent.body : (await get(sent)).body);
    },
    repeat: async () => JSON.stringify((await sendAgain(await first)).body),
    status: async () => (await first).status,
  };
}

/** A request: while the call was pending, its outcome is received by the same request again. */
function directCall(send: () => Promise<SurfaceResponse>): SentCall {
  const first = send();
  const repeat = async () => JSON.stringify((await send()).body);
  return {
    received: async () => {
      const text = JSON.stringify((await first).body);
      return /pending approval|awaiting_approval/i.test(text) ? repeat() : text;
    },
    repeat,
    status: async () => (await first).status,
  };
}

/** A task of the open protocol: a message without the id of its task would create another one. */
function openTaskCall(
  { tool }: SurfaceCall,
  send: (params: object) => Promise<SurfaceResponse>,
  get: (id: string) => Promise<SurfaceResponse>,
): SentCall {
  const message = { role: 'ROLE_USER', messageId: newId(), parts: [dataPart(tool)] };
  const sendAs = (more: object) =>
    send({ message: { ...message, ...more }, configuration: { returnImmediately: true } });
  const idOf = ({ body }: SurfaceResponse) => (body.result ?? body).task.id as string;
  return taskCall(
    () => sendAs({}),
    (sent) => get(idOf(sent)),
    (sent) => sendAs({ taskId: idOf(sent) }),
  );
}

const version1 = { 'a2a-version': '1.0' };
const jsonRpc = ({ wire }: SurfaceCaller, method: string, params: object, args = '') =>
  wire.call('POST', '/', withArguments({ jsonrpc: '2.0', id: 1, method, params }, args), version1);

export const sendWire = ({ wire }: SurfaceCaller, id: string, { tool, args }: SurfaceCall) =>
  wire.call('POST', '/tasks/send', withArguments({ id, message: { role: 'user', parts: [dataPart(tool)] } }, args));

/** A task of the API, or of the command line. */
export const sendMemberTask = async (
  surface: 'api' | 'cli',
  caller: SurfaceCaller,
  id: string,
  { tool, args }: SurfaceCall,
) => {
  const message = { role: 'user', parts: [dataPart(tool)] };
  const body = withArguments({ id, configuration: caller.configurationId, message }, args);
  return (await caller[surface]()).post('/tasks', body);
};

const apiCall: Surface = (caller, { tool, args }) =>
  directCall(async () => {
    const path = `/configurations/${caller.configurationId}/tools/${tool}/calls`;
    return (await caller.api()).post(path, withArguments({ arguments: '$arguments' }, args));
  });

/** The command waits for decisions by itself. */
const commandCall: Surface = (caller, { tool, args }) => {
  const run = () => caller.command(['call', tool, '--input', '-'], args);
  const first = run();
  const textOf = ({ stdout, stderr }: CommandResult) => stdout + stderr;
  return {
    received: async () => textOf(await first),
    repeat: async () => textOf(await run()),
    status: async () => ((await first).code === 0 ? 200 : 400),
  };
};

const memberTask =
  (surface: 'api' | 'cli'): Surface =>
  (caller, call) => {
    const id = newTaskId();
    return taskCall(
      () => sendMemberTask(surface, caller, id, call),
      async () => (await caller[surface]()).get(`/tasks/${id}`),
    );
  };

const surfaces = {
  a2a: (caller, call) => {
    const id = newTaskId();
    return taskCall(
      () => sendWire(caller, id, call),
      () => caller.wire.call('GET', `/tasks/${id}`),
    );
  },
  'a2a, open protocol': (caller, call) =>
    openTaskCall(
      call,
      (params) => jsonRpc(caller, 'SendMessage', params, call.args),
      (id) => jsonRpc(caller, 'GetTask', { id }),
    ),
  mcp: (caller, { tool, args }) =>
    directCall(async () => {
      const params = { name: tool, arguments: '$arguments', _meta: envelope({}) };
      const body = withArguments({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, args);
      const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': tool };
      return (await caller.mcp()).post(body, headers);
    }),
  api: apiCall,
  'api task': memberTask('api'),
  cli: commandCall,
  'cli task': memberTask('cli'),
} satisfies Record<string, Surface>;

/** The other bindings and versions of the same surfaces. */
const otherBindings = {
  'a2a, HTTP+JSON': ({ wire }, call) =>
    openTaskCall(
      call,
      (params) => wire.call('POST', '/a2a/message:send', withArguments(params, call.args), version1),
      (id) => wire.call('GET', `/a2a/tasks/${id}`, undefined, version1),
    ),
  'a2a, gRPC': (caller, call) => {
    const asResponse = ({ refusal, result }: BindingReply): SurfaceResponse =>
      refusal ? { status: 400, body: { error: refusal } } : { status: 200, body: result };
    return openTaskCall(
      call,
      async (params) => asResponse(await (await caller.grpc()).send(JSON.parse(withArguments(params, call.args)))),
      async (id) => asResponse(await (await caller.grpc()).get(id)),
    );
  },
  'a2a of 0.3': ({ wire }, { tool, args }) => {
    const parts = [{ kind: 'data', ...dataPart(tool) }];
    const message = { kind: 'message', role: 'user', messageId: newId(), parts };
    const call = (method: string, params: object) =>
      wire.call('POST', '/', withArguments({ jsonrpc: '2.0', id: 1, method, params }, args));
    return taskCall(
      () => call('message/send', { message, configuration: { blocking: false } }),
      ({ body }) => call('tasks/get', { id: body.result.id }),
    );
  },
  'mcp with a session': (caller, { tool, args }) =>
    directCall(async () => {
      const session = await caller.session();
      const reply = await session.call(tool, JSON.parse(args) as object);
      return { status: reply.status, body: await reply.body() };
    }),
} satisfies Record<string, Surface>;

export type SurfaceName = keyof typeof surfaces | keyof typeof otherBindings;
export const surfaceNames = Object.keys(surfaces) as SurfaceName[];
export const everyBindingName = [...surfaceNames, ...(Object.keys(otherBindings) as SurfaceName[])];

/** Sends the call through a surface. */
export const sendThrough = (name: SurfaceName, caller: SurfaceCaller, call: SurfaceCall): SentCall =>
  ({ ...surfaces, ...otherBindings })[name](caller, call);

const sortedNames = (names: string[]) => names.map((name) => name.replace(/^workplace__/, '')).sort();
const skillIds = ({ body }: SurfaceResponse) => (body.skills as { id: string }[]).map(({ id }) => id);
const toolNames = (tools: { name: string }[]) => tools.map(({ name }) => name);

const apiTools = async (caller: SurfaceCaller) => {
  const { body } = await (await caller.api()).get(`/configurations/${caller.configurationId}/tools`);
  return sortedNames(toolNames(body.tools));
};
const commandTools = async (caller: SurfaceCaller) => {
  const { stdout } = await caller.command(['tools']);
  return sortedNames(toolNames((JSON.parse(stdout) as { tools: { name: string }[] }).tools));
};

/** The tools that each surface lists, without the prefix that an MCP surface of a single connection omits. */
export const listTools = async (caller: SurfaceCaller): Promise<Record<string, string[]>> => ({
  a2a: sortedNames(skillIds(await caller.wire.call('GET', '/.well-known/agent.json'))),
  'a2a, open protocol': sortedNames(skillIds(await caller.wire.call('GET', '/.well-known/agent-card.json'))),
  mcp: sortedNames(toolNames((await (await caller.mcp()).call('tools/list')).body.result.tools)),
  api: await apiTools(caller),
  cli: await commandTools(caller),
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import path from 'node:path';
import { type ModelSimulator, type Reply, startModelSimulator } from '../examples/model-simulator/simulator.js';
import { AgentService } from '../src/agent/agent.service.js';
import type { Artifact } from '../src/agent/agent-model.port.js';
import { AgentsService } from '../src/configurations/agents.service.js';
import { ConfigurationsService } from '../src/configurations/configurations.service.js';
import { KeysService } from '../src/configurations/keys.service.js';
import type { Connection } from '../src/connections/connection.entity.js';
import { ConnectionsService } from '../src/connections/connections.service.js';
import { ModelsService } from '../src/connections/models.service.js';
import { GateFixture, sessionPrincipal } from './kit/gate-fixture.js';
import { newId } from '../src/platform/crypto/ids.js';
import { KnowledgeFixture } from './kit/knowledge-fixture.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { testServer, type TestServer } from './kit/server.js';
import { decideApproval, newTaskId, Wire, type WireTask } from './kit/wire.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let workplace: Workplace;
let simulator: ModelSimulator;
let fixture: GateFixture;
let organization: Organization;
let handbook: { id: string };

beforeAll(async () => {
  [server, workplace, simulator] = await Promise.all([
    testServer(),
    Workplace.start(),
    startModelSimulator({ apiKey: 'sk-test' }),
  ]);
  fixture = await GateFixture.create(server, workplace);
  organization = fixture.organization;
  const knowledge = new KnowledgeFixture(server, organization, await organization.as());
  handbook = await knowledge.connect({
    kind: 'folder',
    slug: 'handbook',
    settings: { path: path.resolve('examples/demo-documents') },
  });
  await knowledge.waitUntilComplete(handbook.id);
});
afterAll(async () => {
  await server?.close();
  await Promise.all([workplace?.stop(), simulator?.close()]);
});
beforeEach(() => {
  simulator.say();
  simulator.requests.length = 0;
});

let models = 0;
const aModel = async (settings: Record<string, unknown> = {}, apiKey = 'sk-test') =>
  server.app.get(ConnectionsService).create(await sessionPrincipal(server, organization, organization.admin), {
    kind: 'model',
    name: `Model ${++models}`,
    slug: `model${models}`,
    settings: { provider: 'openai-compatible', baseUrl: simulator.url, model: 'simulated', ...settings },
    secrets: { apiKey },
  });

/** An agent with handbook and ticket connections, and either its own model or the built-in agent. */
async function agentWith(model?: Connection): Promise<Wire> {
  const admin = await fixture.principalOf();
  const { id } = await fixture.get(ConfigurationsService).create(admin, {
    name: `Desk ${newTaskId()}`,
    description: '',
    connectionIds: [fixture.connectionId, handbook.id],
    groupIds: [],
    modelConnectionId: model?.id,
  });
  const agent = await fixture.get(AgentsService).create(admin, { configurationId: id, name: 'Helper' });
  const { key } = await fixture.get(KeysService).create(admin, agent.id);
  return new Wire(`${server.url}/agents/${id}`, key);
}

async function ask(a2a: Wire, ...parts: (string | object)[]): Promise<WireTask> {
  const id = newTaskId();
  expect((await a2a.send(id, ...parts)).status).toBe(200);
  return a2a.until(id, 'completed', 'failed', 'input-required');
}

const textOf = (artifact: Artifact | undefined) =>
  artifact?.parts.map((part) => ('text' in part ? part.text : '')).join('') ?? '';
const dataOf = (task: WireTask, kind: string) =>
  (task.artifacts ?? [])
    .flatMap(({ parts }) => parts)
    .map((part) => ('data' in part ? (part.data as Record<string, unknown>) : {}))
    .find((data) => data.kind === kind);
const arrived = async (tool: string) => (await workplace.arrivals()).filter((arrival) => arrival.tool === tool);

describe('the built-in agent', () => {
  let agent: Wire;
  beforeAll(async () => {
    agent = await agentWith();
  });

  it('quotes a document with its address and position', async () => {
    const task = await ask(agent, 'How much does a week on call earn?');
    expect(task.status.state).toBe('completed');
    expect(textOf(task.artifacts?.[0])).toMatch(/450 EUR.*\[1\]/);
    expect(dataOf(task, 'citations')).toMatchObject({
      citations: [
        {
          n: 1,
          title: 'On-call',
          source: 'handbook',
          kind: 'doc',
          snippet: expect.stringContaining('450 EUR') as unknown,
          position: expect.stringMatching(/^lines? \d/) as unknown,
        },
      ],
    });
  });

  it('reports that it found nothing and how many sources it searched', async () => {
    const task = await ask(agent, 'What is the dental insurance deductible?');
    expect(textOf(task.artifacts?.[0])).toMatch(/^Not found in [1-9]\d* sources?\.$/);
    expect(dataOf(task, 'citations')).toEqual({ kind: 'citations', citations: [] });
  });

  it('sends approved arguments unchanged to the connected system', async () => {
    const before = (await arrived('create_ticket')).length;
    const id = newTaskId();
    await agent.send(id, 'workplace__create_ticket: {"title":"caf\\u00e9 is   closed"}');
    const waiting = await agent.until(id, 'input-required');
    expect(waiting.status.metadata).toMatchObject({ reason: 'approval', tool: 'workplace__create_ticket' });
    await decideApproval(
      await organization.browser(fixture.reviewer),
      String(waiting.status.metadata?.approvalId),
      'approve',
    );
    const done = await agent.until(id, 'completed');
    expect(dataOf(done, 'receipt')).toMatchObject({
      calls: [{ tool: 'workplace__create_ticket', arguments: { title: 'café is   closed' }, outcome: 'succeeded' }],
    });
    expect((await arrived('create_ticket')).slice(before).map((arrival) => arrival.arguments)).toEqual([
      { title: 'café is   closed' },
    ]);
  });

  it('asks for missing values instead of writing, and continues with the answer', async () => {
    const id = newTaskId();
    await agent.send(id, 'Create a ticket in project FLD');
    const asked = await agent.until(id, 'input-required');
    expect(asked.status.metadata).toMatchObject({ reason: 'information', missing: ['title'] });
    expect(textOf({ parts: asked.status.message!.parts } as Artifact)).toContain(
      'workplace__create_ticket: {"title":"<title>","project":"FLD"}',
    );
    await agent.send(id, 'title "Dock 3 is dark"');
    await untilWaitingFor(agent, id, 'approval');
  });

  it('fails with the code of the refusal', async () => {
    const task = await ask(agent, 'workplace__delete_everything: {}');
    expect(task.status).toMatchObject({
      state: 'failed',
      error: { code: 'policy-denied', callId: expect.any(String) as unknown },
    });
  });

  async function untilWaitingFor(a2a: Wire, id: string, reason: string): Promise<void> {
    for (let tries = 0; tries < 200; tries++) {
      const task = await a2a.get(id);
      if (task.status.state === 'input-required' && task.status.metadata?.reason === reason) return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error(`${id} never waited for ${reason}`);
  }
});

describe('an agent with a language model', () => {
  const search = (query: string): Reply => ({ calls: [{ tool: 'knowledge__search', arguments: { query } }] });

  it('searches through the gate and cites the passages that it got', async () => {
    simulator.say(search('week on call pay'), { text: 'A week earns 450 EUR [1], I am told [77].' });
    const task = await ask(await agentWith(await aModel()), 'What does a week on call pay?');
    expect(task.status.state).toBe('completed');
    expect(textOf(task.artifacts?.[0])).toBe('A week earns 450 EUR [1], I am told.');
    expect(dataOf(task, 'citations')).toMatchObject({ citations: [{ n: 1, title: 'On-call', source: 'handbook' }] });
    const [, second] = simulator.requests;
    expect(second.messages[0].content).toMatch(/Text between "<<<data \w{32}"/);
    expect(String(second.messages.at(-1)?.content)).toMatch(/^\[1\]\n<<<data \w{32} from knowledge__search\nOn-call/);
  });

  it('works with the simulator without a script', async () => {
    const agent = await agentWith(await aModel());
    const task = await ask(agent, 'How much does a week on call earn?');
    expect(textOf(task.artifacts?.[0])).toMatch(/\[1\]$/);
    expect(dataOf(task, 'citations')).toMatchObject({ citations: [{ n: 1, source: 'handbook' }] });
    const listed = await ask(agent, 'workplace__list_channels: {}');
    expect(textOf(listed.artifacts?.[0])).toContain('workplace__list_channels succeeded');
  });

  it('makes parallel calls, waits for their approvals, and does not complete when one is denied', async () => {
    const agent = await agentWith(await aModel());
    const before = (await arrived('create_ticket')).length;
    simulator.say(
      {
        calls: [
          { tool: 'workplace__create_ticket', arguments: { title: 'From a model' } },
          { tool: 'workplace__close_ticket', arguments: { id: 'OFF-0323', resolution: 'gone' } },
        ],
      },
      { text: 'Both done!' },
    );
    const id = newTaskId();
    await agent.send(id, 'Create one ticket and close another');
    const browser = await organization.browser(fixture.reviewer);
    const decided = new Set<string>();
    for (;;) {
      const { status } = await agent.until(id, 'input-required', 'completed', 'failed');
      const approvalId = status.metadata?.approvalId;
      if (!approvalId) break;
      if (decided.has(approvalId)) {
        await new Promise((resolve) => setTimeout(resolve, 25));
        continue;
      }
      decided.add(approvalId);
      await decideApproval(
        browser,
        approvalId,
        status.metadata?.tool === 'workplace__close_ticket' ? 'deny' : 'approve',
        'not this one',
      );
    }
    const task = await agent.get(id);
    expect(task.status.state).toBe('failed');
    expect(task.status.error?.code).toBe('policy-denied');
    expect(task.status.error?.detail).toContain('workplace__create_ticket succeeded');
    expect((await arrived('create_ticket')).length).toBe(before + 1);
    expect(await arrived('close_ticket')).toEqual([]);
  });

  it('asks the caller and continues with the answer', async () => {
    const agent = await agentWith(await aModel());
    simulator.say(
      { calls: [{ tool: 'ask_caller', arguments: { question: 'Which hospital?', missing: ['hospital'] } }] },
      { text: 'Noted.' },
    );
    const id = newTaskId();
    await agent.send(id, 'Look at the docks');
    const asked = await agent.until(id, 'input-required');
    expect(asked.status).toMatchObject({
      message: { parts: [{ text: 'Which hospital?' }] },
      metadata: { reason: 'information', missing: ['hospital'] },
    });
    await agent.send(id, 'Ghent UZ');
    await agent.until(id, 'completed');
    expect(
      simulator.requests
        .at(-1)
        ?.messages.slice(1)
        .map(({ role, content }) => [role, content]),
    ).toEqual([
      ['user', 'Look at the docks'],
      ['assistant', 'Which hospital?'],
      ['user', 'Ghent UZ'],
    ]);
  });

  it('reports the usage of a task and starts no turn beyond the limit', async () => {
    const model = await aModel({ inputPrice: '1', outputPrice: '1', monthlyCap: '0.000006' });
    const agent = await agentWith(model);
    simulator.say({ text: 'one', usage: { prompt_tokens: 5, completion_tokens: 2 } });
    expect((await ask(agent, 'hello')).status.state).toBe('completed');
    const month = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth(), 1));
    const asked = [{ connectionId: model.id, month }];
    expect(await server.app.get(ModelsService).usageOf(organization.system, asked)).toMatchObject([
      [{ turns: 1, inputTokens: 5, outputTokens: 2 }],
    ]);
    const refused = await ask(agent, 'hello again');
    expect(refused.status).toMatchObject({
      state: 'failed',
      error: { code: 'model-unavailable', detail: expect.stringContaining('budget') as unknown },
    });
    expect(simulator.requests).toHaveLength(1);
  });

  it('starts no turn while its connection is paused', async () => {
    const model = await aModel();
    const turn = () =>
      fixture.get(AgentService).turn(
        fixture.agent,
        {
          configurationId: fixture.configurationId,
          modelConnectionId: model.id,
          transcript: [{ kind: 'message', parts: [{ text: 'hello' }] }],
          taskId: newId(),
        },
        new AbortController().signal,
      );
    await fixture.get(ConnectionsService).pause(await fixture.principalOf(), model.id);
    expect(await turn()).toEqual({ calls: [], pausedBy: 'the language model' });
    expect(simulator.requests).toEqual([]);
    await fixture.get(ConnectionsService).resume(await fixture.principalOf(), model.id);
    simulator.say({ text: 'here' });
    expect(await turn()).toMatchObject({ text: 'here' });
  });

  it('waits when it is rate limited', async () => {
    simulator.say({ status: 429, retryAfter: '0' }, { text: 'here' });
    expect((await ask(await agentWith(await aModel()), 'hello')).status.state).toBe('completed');
  });

  it.each<[string, () => Promise<Connection>, Reply[]]>([
    ['rejects the key', () => aModel({}, 'sk-wrong'), []],
    ['is unreachable', () => aModel({ baseUrl: 'http://127.0.0.1:1/v1' }), []],
    ['returns nonsense', () => aModel(), [{ text: '' }]],
  ])('fails with model-unavailable if the model %s', async (_, model, replies) => {
    simulator.say(...replies);
    const task = await ask(await agentWith(await model()), 'hello');
    expect(task.status).toMatchObject({ state: 'failed', error: { code: 'model-unavailable' } });
    expect(JSON.stringify(task)).not.toMatch(/sk-(wrong|test)/);
  });

  it('does not follow instructions in documents: a denied tool stays denied', async () => {
    simulator.say(
      search('anything'),
      { calls: [{ tool: 'workplace__close_ticket', arguments: { id: 'OFF-0323', resolution: 'injected' } }] },
      { text: 'I closed it.' },
    );
    const task = await ask(await agentWith(await aModel()), 'Summarise the handbook');
    expect(task.status).toMatchObject({ state: 'failed', error: { code: 'policy-denied' } });
    expect(await arrived('close_ticket')).toEqual([]);
  });
});

it('uses the operator’s model if a configuration has none', async () => {
  const settings = { MODEL_BASE_URL: simulator.url, MODEL_API_KEY: 'sk-test', ALLOW_PRIVATE_NETWORKS: '' };
  const other = await testServer(settings);
  try {
    const { system, admin } = await anOrganization(other);
    const { id } = await other.app
      .get(ConfigurationsService)
      .create(system, { name: 'Desk', description: '', connectionIds: [], groupIds: [] });
    const agent = await other.app
      .get(AgentsService)
      .create(system, { configurationId: id, name: 'Helper', responsibleMemberId: admin.id });
    const { key } = await other.app.get(KeysService).create(system, agent.id);
    simulator.say({ text: 'I have no tools.' });
    const task = await ask(new Wire(`${other.url}/agents/${id}`, key), 'hello');
    expect(textOf(task.artifacts?.[0])).toBe('I have no tools.');
    expect(simulator.requests[0].model).toBe('simulated');
  } finally {
    await other.close();
  }
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GateService as Gate } from '../src/gate/gate.service.ts';
import type { NotificationChannelsService as Channels } from '../src/notifications/notification-channels.service.ts';
import type { PoliciesService as Policies } from '../src/policies/policies.service.ts';
import { createAgent, noOpTool, offerTools } from './agent.ts';
import { built } from './built.ts';
import { createOrganization } from './organization.ts';

/*
 * The built server with a webhook channel. REQUESTS calls need an approval, PER_SECOND of them per second. A child
 * process of the benchmark. Its first line contains the time of each, from the call until the webhook has its
 * notification.
 */

export interface NotificationTimes {
  ms: number[];
}

const { Config } = await built<typeof import('../src/platform/config/config.ts')>('platform/config/config');
const { startServer } = await built<typeof import('../src/server.ts')>('server');
const { GateService } = await built<{ GateService: typeof Gate }>('gate/gate.service');
const { NotificationChannelsService } = await built<{ NotificationChannelsService: typeof Channels }>(
  'notifications/notification-channels.service',
);
const { PoliciesService } = await built<{ PoliciesService: typeof Policies }>('policies/policies.service');

const [requests, perSecond] = ['REQUESTS', 'PER_SECOND'].map((name) => Number(process.env[name]));
const withinMs = 60_000;
/** No more calls of an agent can wait for an approval. */
const requestsPerAgent = 20;

const server = await startServer(
  Config.from({
    PORT: '0',
    INTERNAL_PORT: '0',
    ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8',
    NOTIFICATION_DIGEST_SECONDS: '0', // otherwise most would wait to become one message
    ...process.env,
  }),
);
const get = <T>(service: abstract new (...args: never[]) => T): T =>
  server.app.get<T>(service as never, { strict: false });

const arrivedAt = new Map<string, number>();
const receiver = createServer((request, response) => {
  void text(request).then((body) => {
    for (const [, id] of body.matchAll(/\/approvals\/([\da-f-]{36})/g))
      if (!arrivedAt.has(id)) arrivedAt.set(id, performance.now());
    response.writeHead(204).end();
  });
});
await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve));

const tool = noOpTool('bench__write', 'write');
await offerTools(server.app, [tool]);
const { person } = await createOrganization(server.app);
const agents = await Promise.all(
  Array.from({ length: Math.ceil(requests / requestsPerAgent) }, async (_, nth) => {
    const created = await createAgent(server.app, person, `Bench ${nth}`);
    const policy = '@approval("confirm")\npermit (principal, action, resource);';
    await get(PoliciesService).publish(person, created.configurationId, policy);
    return created;
  }),
);
await get(NotificationChannelsService).create(person, {
  name: 'Bench',
  kind: 'webhook',
  kinds: ['approval_requested'],
  address: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
});

const calledAt = new Map<string, number>();
await Promise.all(
  Array.from({ length: requests }, async (_, nth) => {
    await sleep((nth * 1000) / perSecond);
    const { agent, configurationId } = agents[nth % agents.length];
    const called = performance.now();
    const request = { configurationId, tool: tool.name, arguments: JSON.stringify({ priority: nth }) };
    const outcome = await get(GateService).call(agent, request);
    if (outcome.state !== 'awaiting_approval') throw new Error(`a call is ${outcome.state}`);
    calledAt.set(outcome.approvalId, called);
  }),
);
const until = performance.now() + withinMs;
while (arrivedAt.size < requests) {
  if (performance.now() > until) throw new Error(`only ${arrivedAt.size} of ${requests} notifications arrived`);
  await sleep(50);
}
const output: NotificationTimes = { ms: [...calledAt].map(([id, called]) => arrivedAt.get(id)! - called) };
process.stdout.write(`${JSON.stringify(output)}\n`);
process.stdin.resume().once('end', () => {
  receiver.close();
  void server.close().then(() => process.exit(0));
});

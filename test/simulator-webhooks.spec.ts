import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HttpSimulator, type SimulatedRequest } from '../examples/simulators/http-simulator.js';
import type { WebhookSender } from '../examples/simulators/webhook-sender.js';
import { type ConnectedSource, connectedSources } from './kit/connected-sources.js';
import { localOutgoing } from './kit/local-outgoing.js';
import { SourceFixture } from './kit/source-fixture.js';

let receiver: HttpSimulator;
let received: SimulatedRequest[];
beforeEach(async () => {
  received = [];
  receiver = await new HttpSimulator()
    .route('POST', '/hook', (request) => {
      received.push(request);
      return { status: 204 };
    })
    .start();
});
afterEach(() => receiver.stop());

const senders = Object.entries(connectedSources).filter(([system]) => system !== 'confluence');

describe.each(senders)('webhooks of the %s simulator', (_, connect) => {
  const outgoing = localOutgoing();
  let source: ConnectedSource;
  let sender: WebhookSender;
  beforeEach(async () => {
    source = await connect();
    ({ sender } = source.webhooks!);
  });
  afterEach(async () => {
    await source.stop();
    await outgoing.onApplicationShutdown();
  });

  it('arrive with a signature that the connector accepts', async () => {
    sender.subscribe(`${receiver.url}/hook`);
    await source.edit('The zebrafish plan, second edition');
    await sender.settled();
    expect(sender.failures).toEqual([]);
    expect(received.length).toBeGreaterThan(0);
    const { connector, settings, secrets = {} } = source;
    const fixture = new SourceFixture(connector, { outgoing, settings, secrets });
    for (const { headers, text } of received) {
      const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
      expect(await fixture.receive({ headers: sent, body: text })).toMatchObject({ hints: expect.any(Array) });
    }
  });

  it('are recorded if the receiver rejects them or cannot be reached', async () => {
    sender.subscribe(`${receiver.url}/hook`);
    receiver.faults.add({ kind: 'status', status: 503 });
    await source.edit('The zebrafish plan, second edition');
    await sender.settled();
    expect(new Set(sender.failures)).toEqual(new Set(['status 503']));
    sender.failures.length = 0;
    await receiver.stop();
    await source.edit('The zebrafish plan, third edition');
    await sender.settled();
    expect(sender.failures[0]).toContain('ECONNREFUSED');
  });
});

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, expect, it } from 'vitest';
import { adfParagraphs } from '../examples/simulators/jira/jira-site.js';
import { jiraConnector } from '../src/knowledge/jira/jira.connector.js';
import { documentsContext } from './kit/documents-context.js';
import { aJiraSite, startJira } from './kit/jira-fixture.js';
import { localOutgoing } from './kit/local-outgoing.js';

const outgoing = localOutgoing();
afterAll(() => outgoing.onApplicationShutdown());

/** The size of the live heap in bytes, after a garbage collection. */
function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

it('reads 100,000 issues with about one request per hundred, in bounded memory', async () => {
  const world = aJiraSite();
  const description = adfParagraphs('The brakes lock on ramps.');
  for (let index = 0; index < 100_000; index++) world.site.addIssue(world.project, `Issue ${index}`, { description });
  const { simulator, source } = await startJira(world, outgoing);
  const { documents, pass } = documentsContext(source.context());
  const before = heapUsed();
  let largest = 0;
  let count = 0;
  for await (const document of jiraConnector.documents!(documents)) {
    // the texts of the first tenth are new
    if (++count <= 10_000) await (document.content as () => Promise<string>)();
    if (count % 20_000 === 0) largest = Math.max(largest, heapUsed() - before);
  }
  await simulator.stop();
  const lists = simulator.http.count(/search\/jql$/);
  const contents = simulator.http.count(/bulkfetch$/);
  expect([count, pass.expected, lists]).toEqual([100_000, 100_000, 1000]);
  expect(contents).toBeLessThan(110);
  expect(simulator.http.requests.length).toBeLessThan(1130);
  expect(largest).toBeLessThan(64 * 2 ** 20);
});

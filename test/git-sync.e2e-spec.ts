import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HostedRepository } from './kit/git-commits.js';
import { GitServer } from './kit/git-server.js';
import { KnowledgeFixture } from './kit/knowledge-fixture.js';
import { anOrganization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

const token = 'glpat-77aa-secret';
let server: TestServer;
let host: GitServer;
let repository: HostedRepository;

beforeAll(async () => {
  server = await testServer();
  const root = path.join(server.folder, 'host');
  host = await GitServer.start({ root, password: token });
  repository = HostedRepository.create(root, 'handbook.git');
});
afterAll(async () => {
  await host.stop();
  await server.close();
});

it('syncs a repository, cites the lines at the commit, and removes the copy with the connection', async () => {
  const text = '# Carts\n\nCarts drive in convoys.\n';
  const first = repository.commit({ files: { 'carts.md': text, 'old.md': '# Old\n\nNobody reads this.\n' } });
  const lark = await anOrganization(server);
  const knowledge = new KnowledgeFixture(server, lark, await lark.as());
  const connection = await knowledge.connect({
    kind: 'git',
    slug: 'handbook',
    settings: {
      address: host.url('handbook.git'),
      webLinks: 'gitlab',
      webAddress: 'https://gitlab.example/acme/handbook',
    },
    secrets: { token },
  });
  expect(connection).toMatchObject({ status: 'connected', statusReason: 'Reads the branch main.' });
  await knowledge.waitUntilComplete(connection.id);
  const found = async (query: string) => (await knowledge.search([connection.id], query)).passages;
  const cited = (commit: string) =>
    expect.objectContaining({
      title: 'Carts',
      url: `https://gitlab.example/acme/handbook/-/blob/${commit}/carts.md?plain=1#L3`,
    });
  expect(await found('convoys')).toEqual([cited(first)]);

  repository.commit({ files: { 'old.md': null, 'new.md': '# New\n\nThe yard is closed.\n' } });
  expect(await knowledge.sync(connection.id)).toMatchObject({ changed: 1, removed: 1, documentCount: 2 });
  expect(await found('convoys'), 'an unchanged document keeps the commit at which it was read').toEqual([cited(first)]);

  const copies = path.join(server.folder, 'git');
  const folders = () => (existsSync(copies) ? readdirSync(copies, { recursive: true }) : []).map(String);
  expect(folders().some((name) => name.endsWith(connection.id))).toBe(true);
  await knowledge.request('mutation ($id: ID!) { removeConnection(input: { id: $id }) { id } }', {
    id: connection.id,
  });
  await expect.poll(() => folders().filter((name) => name.includes(connection.id))).toEqual([]);
});

it('refuses invalid settings', async () => {
  const lark = await anOrganization(server);
  const request = await lark.as();
  const { errors } = await request(
    'mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { id } }',
    {
      input: {
        kind: 'git',
        name: 'x',
        slug: 'x',
        settings: { address: 'ext::sh -c id', branch: '-x', hostKeys: ['no key'], webAddress: 'x' },
      },
    },
  );
  const pointers = (errors![0].extensions as { errors: { pointer: string }[] }).errors.map(({ pointer }) => pointer);
  expect(pointers.sort()).toEqual([
    '/settings/address',
    '/settings/branch',
    '/settings/hostKeys',
    '/settings/webAddress',
  ]);
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EstateFixture } from './kit/estate-fixture.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { testServer, type TestServer } from './kit/server.js';

/* Device names are self-declared, but a device cannot replace the inventory of another one by using its name. */

let server: TestServer;
let lark: Organization;
let estate: EstateFixture;
let other: EstateFixture;
beforeAll(async () => {
  server = await testServer();
  lark = await anOrganization(server);
  estate = await EstateFixture.create(server, lark);
  other = await EstateFixture.create(server, lark);
});
afterAll(() => server.close());

const file = (name: string) => ({
  path: '/home/ines/.cursor/mcp.json',
  content: JSON.stringify({ mcpServers: { [name]: { command: name } } }),
});
const inventory = async (device: string) =>
  (
    await estate.rows<{ name: string }>(
      `select e.name from estate_entries e join estate_files f on f.tenant_id = e.tenant_id and f.id = e.file_id
       join estate_sources s on s.tenant_id = f.tenant_id and s.id = f.source_id
       where e.tenant_id = $1 and s.name = $2 and e.gone_at is null and f.gone_at is null`,
      [device],
    )
  ).map(({ name }) => name);

async function upload(by: EstateFixture, device: string, files: object[], secret?: string) {
  const headers: Record<string, string> = secret ? { 'countersign-device-secret': secret } : {};
  const response = await by.post({ device, isComplete: true, files }, headers);
  const body = (await response.json()) as { code?: string };
  return response.ok ? 'taken' : body.code;
}
const secretOf = (device: string) => `${device}-`.padEnd(40, '0123456789');
const sourceOf = async (device: string) => {
  const ask = await lark.as();
  const { data } = await ask('{ estateSources(first: 100) { nodes { id name keyId hasDeviceSecret } } }');
  const nodes = data.estateSources.nodes as { id: string; name: string; keyId: string; hasDeviceSecret: boolean }[];
  return nodes.find(({ name }) => name === device)!;
};
const release = async (device: string) => {
  const ask = await lark.as();
  const { id } = await sourceOf(device);
  return (await ask(`mutation { releaseEstateDevice(input: { sourceId: "${id}" }) { keyId hasDeviceSecret } }`)).data;
};

describe('a device', () => {
  it('keeps its inventory when another key uploads an empty inventory under its name', async () => {
    expect(await upload(estate, 'lap-1', [file('notes')])).toBe('taken');
    expect(await upload(other, 'LAP-1', [])).toBe('device-belongs-to-another-key');
    expect(await inventory('lap-1')).toEqual(['notes']);
    expect(await upload(estate, 'lap-1', [file('notes')])).toBe('taken');
  });

  it('keeps its inventory when another device with the same key uses its name', async () => {
    expect(await upload(estate, 'lap-2', [file('notes')], secretOf('lap-2'))).toBe('taken');
    expect(await upload(estate, 'lap-2', [])).toBe('device-secret-mismatch');
    expect(await upload(estate, 'lap-2', [], secretOf('lap-3'))).toBe('device-secret-mismatch');
    expect(await inventory('lap-2')).toEqual(['notes']);
    expect(await upload(estate, 'lap-2', [file('tickets')], secretOf('lap-2'))).toBe('taken');
    expect(await inventory('lap-2')).toEqual(['tickets']);
  });

  it('is bound to one key when two keys make the first upload at the same time', async () => {
    const answers = await Promise.all([estate, other].map((by) => upload(by, 'lap-race', [file('notes')])));
    expect(answers.toSorted()).toEqual(['device-belongs-to-another-key', 'taken']);
  });

  it('can move to another key after its key is revoked, but only with its secret', async () => {
    const first = await EstateFixture.create(server, lark);
    expect(await upload(first, 'lap-4', [file('notes')], secretOf('lap-4'))).toBe('taken');
    const { keyId } = await sourceOf('lap-4');
    const ask = await lark.as();
    await ask(`mutation { revokeTenantKey(input: { tenantKeyId: "${keyId}" }) { id } }`);
    expect(await upload(estate, 'lap-4', [])).toBe('device-secret-mismatch');
    expect(await upload(estate, 'lap-4', [file('notes')], secretOf('lap-4'))).toBe('taken');
    expect(await upload(other, 'lap-4', [], secretOf('lap-4'))).toBe('device-belongs-to-another-key');
  });

  it('can be released by an administrator, and is bound again by the next upload', async () => {
    expect(await upload(estate, 'lap-5', [file('notes')], secretOf('lap-5'))).toBe('taken');
    expect(await release('lap-5')).toEqual({ releaseEstateDevice: { keyId: null, hasDeviceSecret: false } });
    expect(await inventory('lap-5')).toEqual(['notes']);
    expect(await upload(other, 'lap-5', [file('notes')], secretOf('new'))).toBe('taken');
    expect(await upload(estate, 'lap-5', [], secretOf('lap-5'))).toBe('device-belongs-to-another-key');
    expect(await sourceOf('lap-5')).toMatchObject({ hasDeviceSecret: true });
  });

  it('without a binding from an earlier version is bound by its next upload', async () => {
    expect(await upload(estate, 'lap-6', [file('notes')])).toBe('taken');
    await estate.rows(`update estate_sources set key_id = null where tenant_id = $1 and name = 'lap-6'`);
    expect(await upload(estate, 'lap-6', [file('notes')])).toBe('taken');
    expect(await upload(other, 'lap-6', [])).toBe('device-belongs-to-another-key');
  });

  it('cannot use a secret that is too short', async () => {
    expect(await upload(estate, 'lap-7', [], 'short')).toBe('invalid-request');
  });
});

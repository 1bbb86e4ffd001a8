import { TenantKeysService } from '../../src/access/tenant-keys.service.js';
import type { KeyScope } from '../../src/access/tenant-key.entity.js';
import { DatabaseService } from '../../src/platform/database/database.service.js';
import type { Organization } from './organization.js';
import type { TestServer } from './server.js';
import { runSql } from './run-sql.js';

interface SentFile {
  path: string;
  content?: string | object;
  owner?: string;
  scope?: 'user' | 'project';
  encoding?: 'base64';
  size?: number;
}
export interface UploadResponse {
  isStale: boolean;
  added: number;
  changed: number;
  unchanged: number;
  gone: number;
  skipped: { index: number; reason: string }[];
}

/** Uploads from a device of the organization, and the rows stored for them. */
export class EstateFixture {
  private constructor(
    private readonly server: TestServer,
    private readonly organization: Organization,
    readonly key: string,
  ) {}

  static async create(
    server: TestServer,
    organization: Organization,
    scopes: KeyScope[] = ['estate'],
  ): Promise<EstateFixture> {
    const { admin, system } = organization;
    const principal = { ...system, kind: 'member' as const, memberId: admin.id, sessionId: admin.id };
    const { key } = await server.app.get(TenantKeysService).create(principal, { name: 'laptops', scopes });
    return new EstateFixture(server, organization, key);
  }

  post(body: string | object, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${this.server.url}/ingest/estate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  async upload(device: string, files: SentFile[], more: object = {}): Promise<UploadResponse> {
    const sent = files.map(({ content, ...file }) => ({
      ...file,
      content: typeof content === 'object' ? JSON.stringify(content) : content,
    }));
    const response = await this.post({ device, isComplete: true, files: sent, ...more });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as UploadResponse;
  }

  /** $1 is the tenant; `values` follow. */
  rows<Row>(sql: string, values: unknown[] = []): Promise<Row[]> {
    const { tenant, system } = this.organization;
    return this.server.app.get(DatabaseService).tenant(system, (tx) => runSql(tx, sql, [tenant.id, ...values]));
  }
}

import type { AdminTokensService as AdminTokens } from '../src/access/admin-tokens.service.ts';
import type { OrganizationDocument } from '../src/organization/documents.ts';
import type { OrganizationService as Organizations } from '../src/organization/organization.service.ts';
import { built } from './built.ts';
import { createOrganization } from './organization.ts';

/*
 * The built server with an organization of OBJECTS objects. A child process of the benchmark. Its first line contains the
 * address and an admin token.
 */

export interface PlannedServer {
  url: string;
  token: string;
}

const { Config } = await built<typeof import('../src/platform/config/config.ts')>('platform/config/config');
const { startServer } = await built<typeof import('../src/server.ts')>('server');
const { OrganizationService } = await built<{ OrganizationService: typeof Organizations }>(
  'organization/organization.service',
);
const { AdminTokensService } = await built<{ AdminTokensService: typeof AdminTokens }>('access/admin-tokens.service');
const { checkDocuments } =
  await built<typeof import('../src/organization/read-documents.ts')>('organization/read-documents');

const server = await startServer(Config.from({ PORT: '0', INTERNAL_PORT: '0', ...process.env }));
const { person } = await createOrganization(server.app);
const organizations = server.app.get(OrganizationService, { strict: false });

/** A fifth each of groups, integrations and steps; configurations, each with its default policies, are the rest. */
const share = Number(process.env.OBJECTS) / 5;
const numbered = <T>(count: number, make: (nth: number) => T): T[] =>
  Array.from({ length: count }, (_, nth) => make(nth));
const documents: OrganizationDocument[] = checkDocuments([
  ...numbered(share, (nth) => ({ kind: 'group', name: `Group ${nth}` })),
  ...numbered(share, (nth) => ({ kind: 'connection', name: `documents-${nth}`, connector: 'documents' })),
  ...numbered(share, (nth) => ({
    kind: 'configuration',
    name: `Configuration ${nth}`,
    description: 'For the benchmark',
    connections: [`documents-${nth}`, `documents-${(nth + 1) % share}`],
    groups: [`Group ${nth}`],
  })),
  ...numbered(share, (nth) => ({
    kind: 'approval-step',
    name: `step-${nth}`,
    tier: 'review',
    approvers: `Group ${nth}`,
  })),
]);
const { hash } = await organizations.plan(person, documents);
await organizations.apply(person, { documents, hash, secrets: [] });
const expiresAt = new Date(Date.now() + 3_600_000);
const { token } = await server.app
  .get(AdminTokensService, { strict: false })
  .create(person, { name: 'bench', expiresAt });
process.stdout.write(`${JSON.stringify({ url: server.config.baseUrl, token } satisfies PlannedServer)}\n`);
process.stdin.resume().once('end', () => void server.close().then(() => process.exit(0)));

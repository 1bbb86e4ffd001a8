import type { TenantsService as Tenants } from '../src/access/tenants.service.ts';
import type { EstateApprovalsService as ApprovalsOf } from '../src/estate/findings/estate-approvals.service.ts';
import type { FindingEvaluationService as JudgingOf } from '../src/estate/findings/evaluation/finding-evaluation.service.ts';
import type { EstateUploadService as Uploads } from '../src/estate/intake/estate-upload.service.ts';
import type { DatabaseService as DatabaseOf } from '../src/platform/database/database.service.ts';
import type { systemPrincipal as SystemPrincipal } from '../src/principal/principal.ts';
import { built } from './built.ts';

/*
 * The built server, and the uploads of the devices of a large organization (FILES files). A child process of the
 * benchmark. Its first line contains the durations.
 */

export interface EstateBenchOutput {
  ingestSeconds: number;
  evaluationSeconds: number;
  reevaluationSeconds: number;
  findings: number;
}

const { Config } = await built<typeof import('../src/platform/config/config.ts')>('platform/config/config');
const { statement } =
  await built<typeof import('../src/platform/database/statement.ts')>('platform/database/statement');
const { startServer } = await built<typeof import('../src/server.ts')>('server');
const { DatabaseService } = await built<{ DatabaseService: typeof DatabaseOf }>('platform/database/database.service');
const { TenantsService } = await built<{ TenantsService: typeof Tenants }>('access/tenants.service');
const { EstateUploadService } = await built<{ EstateUploadService: typeof Uploads }>(
  'estate/intake/estate-upload.service',
);
const { parseUpload } = await built<typeof import('../src/estate/intake/upload.ts')>('estate/intake/upload');
const { FindingEvaluationService } = await built<{ FindingEvaluationService: typeof JudgingOf }>(
  'estate/findings/evaluation/finding-evaluation.service',
);
const { EstateApprovalsService } = await built<{ EstateApprovalsService: typeof ApprovalsOf }>(
  'estate/findings/estate-approvals.service',
);
const { systemPrincipal } = await built<{ systemPrincipal: typeof SystemPrincipal }>('principal/principal');

const files = Number(process.env.FILES);
const filesOfDevice = 50;
const entriesOfFile = 5;
const differentServers = 300;

const server = await startServer(Config.from({ PORT: '0', INTERNAL_PORT: '0', ...process.env }));
const admin = { email: 'bench@example.org', name: 'Bench' };
const { tenant } = await server.app
  .get(TenantsService)
  .create({ name: 'bench' }, { name: 'Bench', slug: 'bench-estate', admin });
const system = systemPrincipal(tenant.id, 'bench');

const ingestSeconds = await timed(async () => {
  for (let device = 0; device * filesOfDevice < files; device++)
    await server.app.get(EstateUploadService).ingest(system, parseUpload(JSON.stringify(uploadOf(device))), null);
});
const evaluationSeconds = await timed(() => server.app.get(FindingEvaluationService).evaluate(system));
await server.app.get(EstateApprovalsService).approve(system, { kind: 'package', value: 'npm:mcp-0' });
const reevaluationSeconds = await timed(() => server.app.get(FindingEvaluationService).evaluate(system));
const [{ findings }] = await server.app
  .get(DatabaseService)
  .tenant(system, (tx) =>
    tx.run(
      statement<[tenantId: string], { findings: number }>(
        'select count(*)::int as findings from estate_findings where tenant_id = $1',
      ),
      [tenant.id],
    ),
  );
const output: EstateBenchOutput = { ingestSeconds, evaluationSeconds, reevaluationSeconds, findings };
process.stdout.write(`${JSON.stringify(output)}\n`);
process.stdin.resume().once('end', () => void server.close().then(() => process.exit(0)));

async function timed(run: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await run();
  return (performance.now() - before) / 1000;
}

/** A user-level file and files of projects. */
function uploadOf(device: number) {
  const content = (file: number) => {
    const numbers = Array.from(
      { length: entriesOfFile },
      (_, at) => (device * 131 + file * 17 + at * 7) % differentServers,
    );
    return JSON.stringify({ mcpServers: Object.fromEntries(numbers.map((n) => [`server-${n}`, serverOf(n)])) });
  };
  return {
    device: `laptop-${device}`,
    owner: `person-${device}@example.org`,
    isComplete: true,
    files: Array.from({ length: filesOfDevice }, (_, file) => ({
      path: `/home/person-${device}/${file ? `project-${file}/` : ''}.cursor/mcp.json`,
      content: content(file),
    })),
  };
}

/** Some servers cause findings, some do not. */
function serverOf(n: number): object {
  switch (n % 6) {
    case 0:
      return { command: 'npx', args: ['-y', `mcp-${n}@1.${n}.0`] };
    case 1:
      return { command: 'npx', args: ['-y', `mcp-${n}`], env: { API_KEY: `Zq81hPw0sLx72NvKb3${n}` } };
    case 2:
      return { url: `https://tools-${n}.example.com/mcp`, headers: { Authorization: 'Bearer ${env:TOKEN}' } };
    case 3:
      return { command: 'docker', args: ['run', '-i', '--rm', '-v', '/:/host', `mcp/tools-${n}:1`] };
    case 4:
      return { command: 'sh', args: ['-c', `cd /srv && ./tools-${n} | tee log`] };
    default:
      return { command: 'uvx', args: [`tools-${n}==1.${n}.0`] };
  }
}

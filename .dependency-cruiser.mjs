import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Which module may import which. A folder of src/ that is missing here is an error. */
const may = {
  principal: [],
  audit: [],
  'audit-streams': ['access', 'audit', 'notifications'],
  limits: [],
  access: ['audit', 'limits'],
  people: ['access', 'audit'],
  jobs: ['audit'],
  connections: ['access', 'audit', 'notifications'],
  'upstream-accounts': ['access', 'audit', 'connections'],
  'mcp-client': ['access', 'connections', 'upstream-accounts'],
  policies: ['access', 'approvals', 'audit', 'connections'],
  approvals: ['access', 'audit', 'notifications'],
  notifications: ['access', 'audit'],
  knowledge: ['access', 'audit', 'connections', 'notifications'],
  configurations: ['access', 'audit', 'connections', 'policies'],
  gate: ['access', 'audit', 'approvals', 'configurations', 'connections', 'notifications', 'policies'],
  slack: ['access', 'approvals', 'audit', 'gate', 'notifications'],
  agent: ['connections', 'gate'],
  tasks: ['agent', 'audit', 'configurations', 'connections', 'gate', 'limits'],
  oauth: ['access', 'audit', 'configurations', 'limits'],
  'mcp-sessions': ['access'],
  spend: ['access', 'audit', 'connections', 'notifications', 'people'],
  estate: ['access', 'audit', 'connections', 'notifications', 'people'],
  'permit-proposals': ['access', 'approvals', 'audit', 'configurations', 'connections', 'gate', 'policies'],
  'governance-reports': ['access', 'approvals', 'audit', 'configurations', 'connections', 'policies'],
  organization: [
    'access',
    'approvals',
    'audit',
    'configurations',
    'connections',
    'oauth',
    'people',
    'policies',
    'spend',
  ],
  a2a: ['configurations', 'limits', 'tasks'],
  rest: ['access', 'configurations', 'gate', 'limits', 'oauth', 'tasks'],
  api: ['access', 'configurations', 'gate', 'limits', 'oauth', 'rest', 'spend', 'tasks'],
  cli: ['access', 'approvals', 'configurations', 'gate', 'limits', 'oauth', 'rest', 'tasks'],
  mcp: ['access', 'configurations', 'connections', 'gate', 'limits', 'mcp-sessions', 'oauth'],
  console: ['access', 'approvals', 'audit', 'connections', 'gate', 'oauth', 'tasks', 'upstream-accounts'],
  operator: ['access', 'audit', 'connections', 'jobs', 'oauth'],
};
const surfaces = ['a2a', 'api', 'cli', 'console', 'mcp', 'operator', 'rest'];
const edges = Object.entries(may).map(([from, to]) => ({
  name: `${from}-imports`,
  severity: 'error',
  from: { path: `^src/${from}/` },
  to: { path: '^src/', pathNot: `^src/(platform|principal|${[from, ...to].join('|')})/` },
}));

/** The files of each folder in a module that import from it and lie beside it. */
const importersBySubfolder = new Map();
for (const file of globSync('src/*/**/*.ts', { exclude: (name) => name.endsWith('.spec.ts') }))
  for (const [, subfolder] of readFileSync(file, 'utf8').matchAll(/'\.\/([^/']+)\/[^']+\.js'/g)) {
    const folder = path.posix.join(path.dirname(file), subfolder);
    importersBySubfolder.set(folder, new Set(importersBySubfolder.get(folder)).add(file));
  }
const subfolderCycles = [...importersBySubfolder].map(([folder, importers]) => ({
  name: `no-cycle-with-${folder}`,
  severity: 'error',
  comment: 'a file that imports from a subfolder is above it: nothing in the subfolder may reach that file',
  from: { path: `^${folder}/` },
  to: { path: `^(${[...importers].join('|')})$`, reachable: true },
}));

export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-folder-cycles',
      severity: 'error',
      scope: 'folder',
      comment: 'a folder includes its subfolders; for these see subfolderCycles',
      from: {},
      to: { circular: true },
    },
    {
      name: 'unknown-module',
      severity: 'error',
      from: {},
      to: { path: `^src/(?!(platform|${Object.keys(may).join('|')})/)[^/]+/` },
    },
    {
      name: 'platform-imports-no-module',
      severity: 'error',
      from: { path: '^src/platform/' },
      to: { path: '^src/(?!platform/)' },
    },
    {
      name: 'public-files-only',
      severity: 'error',
      from: { path: '^src/([^/]+)/' },
      to: {
        path: '^src/(?!platform|principal)[^/]+/',
        // everything in `rest` is made for the surfaces api and cli
        pathNot: ['^src/$1/', '^src/rest/', '\\.(module|service|entity|guard|decorator|error|events|port)\\.ts$'],
      },
    },
    {
      name: 'services-import-no-surface',
      severity: 'error',
      from: { path: '\\.(service|entity)\\.ts$' },
      to: { path: '\\.(resolver|controller|guard)\\.ts$' },
    },
    {
      name: 'surfaces-run-no-sql',
      severity: 'error',
      from: { path: `^src/(${surfaces.join('|')})/|\\.(resolver|controller)\\.ts$` },
      to: { path: '(^|/)node_modules/(@nestjs/)?typeorm/|\\.sql\\.ts$' },
    },
    {
      name: 'system-sql-stays-in-its-module',
      severity: 'error',
      comment: 'a *.system.sql.ts is imported only by its own module',
      from: { path: '^src/([^/]+)/' },
      to: { path: '\\.system\\.sql\\.ts$', pathNot: '^src/$1/' },
    },
    {
      name: 'foreign-schemas-in-isolation',
      severity: 'error',
      comment: 'a schema of somebody else is compiled in a worker only: use platform/json-schema/foreign-schemas',
      from: { path: '^src/', pathNot: '(\\.isolated|\\.spec)\\.ts$' },
      to: { path: '(^|/)node_modules/ajv' },
    },
    ...edges,
    ...subfolderCycles,
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.spec\\.ts$' },
  },
};

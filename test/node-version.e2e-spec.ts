import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';

/** This Node, without a function that the server needs. */
const reducedNode: [string, string[]] = [
  process.execPath,
  ['--import', 'data:text/javascript,import crypto from "node:crypto"; delete crypto.randomUUIDv7;'],
];
/** An older Node, if PATH contains one. */
const oldNode: [string, string[]] =
  [...new Set((process.env.PATH ?? '').split(path.delimiter).map((folder) => path.join(folder, 'node')))]
    .filter((node) => /^v(18|20|22)\./.test(versionOf(node)))
    .map((node): [string, string[]] => [node, []])[0] ?? reducedNode;

function versionOf(node: string): string {
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  return stdout ?? '';
}

function runWith([node, options]: [string, string[]], args: string[]) {
  const { status, stderr } = spawnSync(node, [...options, ...args], { encoding: 'utf8', timeout: 300_000 });
  return { status, stderr };
}
const run = (...args: string[]) => runWith(oldNode, args);

describe('an old Node', () => {
  it('gets an instruction what to install from an npm script', () => {
    const { status, stderr } = run('run.js');
    expect(status).toBe(1);
    expect(stderr).toMatch(/needs a current Node 24.*\n.*npm ci.*\n.*nodejs\.org/);
    expect(stderr).not.toContain('run.js'); // run.js without a script only checks the version
  });

  it('gets the command that runs a script', () => {
    const { status, stderr } = run('run.js', 'examples/demo/main.ts', '--once');
    expect(status).toBe(1);
    expect(stderr).toContain('npx node run.js examples/demo/main.ts --once');
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it.each(['examples/demo', 'examples/screenshots', 'bench', 'eval', 'test/conformance'])(
    'that can run TypeScript gets the command from scripts that start the server: %s',
    (folder) => {
      const { status, stderr } = runWith(reducedNode, [`${folder}/main.ts`]);
      expect(status).toBe(1);
      expect(stderr).toContain(`npx node ${folder}/main.ts`);
      expect(stderr).not.toMatch(/^\s+at /m);
    },
  );

  describe('that starts the server', () => {
    let folder: string;
    beforeAll(() => {
      folder = mkdtempSync(path.join(process.env.TEST_FOLDER!, 'old-node-'));
      mkdirSync(path.join(folder, 'dist'));
      writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
      for (const name of ['main', 'operator', 'node-version'])
        writeFileSync(
          path.join(folder, 'dist', `${name}.js`),
          stripTypeScriptTypes(readFileSync(`src/${name}.ts`, 'utf8')),
        );
      for (const name of ['serve', 'operate'])
        writeFileSync(
          path.join(folder, 'dist', `${name}.js`),
          `import { randomUUIDv7 } from 'node:crypto'; randomUUIDv7();`,
        );
    });

    it.each(['main.js', 'operator.js'])('gets the command that starts it: %s', (name) => {
      const { status, stderr } = run(path.join(folder, 'dist', name));
      expect(status).toBe(1);
      expect(stderr).toMatch(new RegExp(`npx node .*dist/${name.replace('.', '\\.')}`));
      expect(stderr).not.toMatch(/^\s+at |SyntaxError/m);
    });
  });
});

describe('this Node', () => {
  it('passes the check and runs a script with its arguments', () => {
    const script = path.join(mkdtempSync(path.join(process.env.TEST_FOLDER!, 'script-')), 'script.ts');
    writeFileSync(script, 'const all: string[] = process.argv.slice(2); console.log(all.join());');
    expect(execFileSync(process.execPath, ['run.js'], { encoding: 'utf8' })).toBe('');
    expect(execFileSync(process.execPath, ['run.js', script, 'a', '--b'], { encoding: 'utf8' }).trim()).toBe('a,--b');
  });
});

describe('every documented command', () => {
  it.each([
    'package.json',
    'README.md',
    ...globSync(['{docs,examples}/**/*.{md,sh}', '{examples,bench,eval}/**/*.ts']),
  ])('checks the version first: %s', (file) => {
    // Node 20 fails on the file extension before it runs any code
    expect(readFileSync(file, 'utf8').match(/\bnode (?!run\.js)\S+\.ts\b.*/g) ?? []).toEqual([]);
  });

  it('checks the version before tests and before the server', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    const needsNode24 = Object.entries(scripts).filter(([, line]) => /\b(vitest|nest|node dist)\b/.test(line));
    expect(needsNode24.map(([name]) => name)).toEqual(expect.arrayContaining(['build', 'test', 'start', 'start:dev']));
    for (const [name, line] of needsNode24)
      expect([name, line]).toEqual([name, expect.stringMatching(/^(node run\.js|npm run -s build) &&/)]);
  });

  it.each(['src/main.ts', 'src/operator.ts'])('imports nothing before the check: %s', (file) => {
    const imports = readFileSync(file, 'utf8').match(/^import .*$/gm);
    expect(imports).toEqual([`import './node-version.js';`]);
  });
});

import { mkdtempSync, mkdirSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScanCli } from './kit/scan-cli.js';
import { homeFiles, projectFiles, scanSecrets, writeFiles } from './kit/scan-home.js';

let cli: ScanCli;
let folder: string;
let home: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'scan-')));
  cli = ScanCli.bundle(folder);
  home = path.join(folder, 'home/ines');
  writeFiles(home, homeFiles);
  writeFiles(home, projectFiles);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A new folder with these files. */
function aFolder(name: string, files: Record<string, string | Buffer>): string {
  const root = path.join(folder, name);
  mkdirSync(root);
  writeFiles(root, files);
  return root;
}
const withoutSecrets = (text: string) => {
  for (const secret of Object.values(scanSecrets)) expect(text).not.toContain(secret);
  return text;
};

describe('estate scan', () => {
  it('reads the files of every client in a home folder', async () => {
    const { files, findings, skipped } = await cli.json(['--user'], { cwd: home });
    expect(files.map((file) => path.relative(home, file.path)).sort()).toEqual(Object.keys(homeFiles).sort());
    expect(files.filter(({ scope, status }) => scope !== 'user' || status !== 'read')).toEqual([]);
    const servers = files.flatMap((file) => file.servers.map(({ name }) => `${file.client}: ${name}`));
    await expect(`${servers.sort().join('\n')}\n`).toMatchFileSnapshot('golden/cli-scan-servers.txt');
    expect(skipped).toEqual([]);
    withoutSecrets(JSON.stringify(findings));
  });

  it('prints findings by severity, with lines and without secrets', async () => {
    const { code, stdout, stderr } = await cli.scan(['--user', '.'], { cwd: home });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    await expect(withoutSecrets(stdout).replaceAll(home, '<home>')).toMatchFileSnapshot('golden/cli-scan.txt');
  });

  it('scans the current folder by default, and exits with 3 for severe findings', async () => {
    const cwd = aFolder('fail', { '.cursor/mcp.json': homeFiles['.cursor/mcp.json'] });
    expect(await cli.scan([], { cwd })).toMatchObject({ code: 0, stderr: '' });
    const { code, stdout, stderr } = await cli.scan(['--fail-on', 'high'], { cwd });
    expect({ code, stderr }).toEqual({ code: 3, stderr: 'Error: 1 finding of severity high or worse.\n' });
    expect(stdout).toContain('.cursor/mcp.json:10');
    expect(await cli.scan(['--fail-on', 'huge'], { cwd })).toMatchObject({ code: 2, stdout: '' });
  });
});

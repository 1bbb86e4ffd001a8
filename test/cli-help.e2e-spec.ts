import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { exitCodes } from '../cli/exit-codes.js';
import { CommandLine } from './kit/command-line.js';

let cli: CommandLine;
beforeAll(async () => {
  cli = await CommandLine.build();
});

/** The oldest supported Node, where the machine has one. */
const otherNode = '/usr/bin/node';
const run = promisify(execFile);
const sh = (script: string, cwd: string) => run('bash', ['-c', script], { cwd });

/** Every command of the help, with its path. */
async function commandsBelow(command: string[]): Promise<string[][]> {
  const { stdout } = await cli.run([...command, '--help']);
  const listed = /^Commands:\n((?: .*\n)+)/m.exec(stdout)?.[1] ?? '';
  const names = [...listed.matchAll(/^ {2}(\w[\w-]*)/gm)].map(([, name]) => name).filter((name) => name !== 'help');
  const nested = await Promise.all(names.map((name) => commandsBelow([...command, name])));
  return [command, ...nested.flat()];
}

describe('the help', () => {
  it('of every command is as in test/golden/cli-help.txt', async () => {
    const pages: string[] = [];
    for (const command of await commandsBelow([])) {
      const { code, stdout, stderr } = await cli.run([...command, '--help']);
      expect([command, code, stderr]).toEqual([command, 0, '']);
      pages.push(`$ countersign ${[...command, '--help'].join(' ')}\n${stdout}`);
    }
    await expect(pages.join('\n')).toMatchFileSnapshot('golden/cli-help.txt');
  });

  it('documents every exit code', () => {
    const documented = [...readFileSync('docs/cli.md', 'utf8').matchAll(/^\| (\d+) \|/gm)].map(([, code]) =>
      Number(code),
    );
    expect(documented).toEqual(Object.values(exitCodes).sort((one, other) => one - other));
  });

  it('documents every command', async () => {
    const text = readFileSync('docs/cli.md', 'utf8');
    for (const [name] of (await commandsBelow([])).slice(1)) expect(text).toMatch(new RegExp(`\\b${name}\\b`));
  });

  it('is also a manual page', async () => {
    const page = readFileSync(path.join(cli.folder, 'dist/countersign.1'), 'utf8');
    for (const command of (await commandsBelow([])).slice(1).filter((one) => one[0] !== 'task' || one.length > 1))
      expect(page).toContain(`.SS countersign ${command.join(' ')} `);
    expect(page).not.toMatch(/^\.(?!TH|SH|SS|TP|B |I )/m);
  });
});

describe('completion', () => {
  it('of bash offers commands, their options and values', async () => {
    const folder = mkdtempSync(path.join(process.env.TEST_FOLDER!, 'completion-'));
    writeFileSync(path.join(folder, 'countersign'), (await cli.run(['completion', 'bash'])).stdout);
    const complete = async (...words: string[]) => {
      const script = `source ./countersign; COMP_WORDS=(countersign ${words.map((word) => `'${word}'`).join(' ')})
        COMP_CWORD=${words.length}; compopt() { :; }; _countersign; echo "\${COMPREPLY[@]}"`;
      return (await sh(script, folder)).stdout.trim();
    };
    expect(await complete('conf')).toBe('configurations');
    expect(await complete('task', '')).toMatch(/^send watch list cancel /);
    expect(await complete('task', 'send', '--ou')).toBe('--output');
    expect(await complete('task', 'send', '--output', '')).toBe('');
    expect(await complete('--json', 'completion', 'f')).toBe('fish');
  });

  it.skipIf(!existsSync('/usr/bin/zsh'))('of zsh completes from the first time on', async () => {
    const folder = mkdtempSync(path.join(process.env.TEST_FOLDER!, 'completion-'));
    writeFileSync(path.join(folder, '_countersign'), (await cli.run(['completion', 'zsh'])).stdout);
    // a line editor needs a terminal: the functions that it offers to completions are replaced
    const complete = async (...words: string[]) => {
      const script = `fpath=(. $fpath); autoload -U _countersign; compdef() { :; }
        _describe() { print -r -- "\${(@P)argv[-1]}"; }; _files() { print files; }
        words=(countersign ${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length + 1}
        PREFIX='${words.at(-1)}'; _countersign`;
      return (await run('/usr/bin/zsh', ['-fc', script], { cwd: folder })).stdout.trim();
    };
    expect(await complete('')).toMatch(/^login:connect .* whoami:show/);
    expect(await complete('task', '')).toMatch(/^send:describe .* cancel:/);
    expect(await complete('task', 'send', '--')).toMatch(/--output:write/);
    expect(await complete('task', 'send', '--output', '')).toBe('files');
    expect(await complete('--json', 'completion', '')).toBe('bash zsh fish');
  });

  it.skipIf(!existsSync('/usr/bin/fish'))('of fish offers commands, their options and values', async () => {
    const folder = mkdtempSync(path.join(process.env.TEST_FOLDER!, 'completion-'));
    writeFileSync(path.join(folder, 'countersign.fish'), (await cli.run(['completion', 'fish'])).stdout);
    const complete = async (line: string) => {
      const args = ['--no-config', '-c', `source countersign.fish; complete -C'countersign ${line}'`];
      const { stdout } = await run('/usr/bin/fish', args, { cwd: folder });
      return stdout.trim().replace(/\t.*$/gm, '').split('\n');
    };
    expect(await complete('conf')).toEqual(['configurations']);
    expect(await complete('--server https://x task ')).toEqual(['cancel', 'help', 'list', 'send', 'watch']);
    expect(await complete('task send --ou')).toEqual(['--output']);
    expect(await complete('task send ')).toEqual(['countersign.fish']);
    expect(await complete('completion f')).toEqual(['fish']);
  });

  it.each(['bash', 'zsh', 'fish'])('of %s names every command', async (shell) => {
    const { stdout } = await cli.run(['completion', shell]);
    for (const [name] of (await commandsBelow([])).slice(1)) expect(stdout).toContain(name);
    expect(await cli.json(['completion', shell])).toEqual({ shell, script: stdout.trimEnd() });
  });
});

describe('the package', () => {
  it('is packed alone and runs with npx, also on the oldest supported Node', async () => {
    const folder = mkdtempSync(path.join(process.env.TEST_FOLDER!, 'package-'));
    await run(process.execPath, ['run.js', 'cli/bundle.ts', path.join(folder, 'dist')]);
    writeFileSync(path.join(folder, 'package.json'), readFileSync('cli/package.json'));
    await sh('npm pack --silent', folder);
    const [tarball] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    const home = mkdtempSync(path.join(process.env.TEST_FOLDER!, 'install-'));
    // offline, because it needs nothing else: the keyring is optional
    await sh(`npm install --silent --offline --omit=optional --prefix . ${path.join(folder, tarball)}`, home);
    const installed = path.join(home, 'node_modules/countersign-cli');
    expect(readdirSync(path.join(installed, 'dist'))).toContain('countersign.1');
    const version = (JSON.parse(readFileSync('cli/package.json', 'utf8')) as { version: string }).version;
    const { stdout } = await sh('npx --offline countersign --version', home);
    expect(stdout).toBe(`${version}\n`);
    const old = await run(otherNode, [path.join(installed, 'dist/countersign.js'), '--version']).catch(() => null);
    if (old) expect(old.stdout).toBe(`${version}\n`);
  });
});

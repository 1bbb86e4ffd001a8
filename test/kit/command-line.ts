import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from './browser.js';

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface CommandSettings {
  env?: Record<string, string>;
  input?: string;
}

interface OtherSettings {
  env?: Record<string, string>;
  home?: string;
  /** The Node that runs it. */
  node?: string;
}

/** The built command line in a home directory of its own, as a child process. */
export class CommandLine {
  private constructor(
    readonly program: string,
    readonly home: string,
    readonly env: Record<string, string>,
    private readonly node = process.execPath,
  ) {}

  /** Bundles the command line. `env`: for all commands. */
  static async build(env: Record<string, string> = {}): Promise<CommandLine> {
    const folder = mkdtempSync(path.join(process.env.TEST_FOLDER!, 'cli-'));
    await promisify(execFile)(process.execPath, ['run.js', 'cli/bundle.ts', path.join(folder, 'dist')]);
    return new CommandLine(path.join(folder, 'dist', 'countersign.js'), newHome(), env);
  }

  /** The same program for another person, or with other settings. */
  with({ env = {}, home = newHome(), node = this.node }: OtherSettings = {}): CommandLine {
    return new CommandLine(this.program, home, { ...this.env, ...env }, node);
  }

  get folder(): string {
    return path.dirname(path.dirname(this.program));
  }

  /** Runs a command to its end. */
  async run(args: string[], { env, input = '' }: CommandSettings = {}): Promise<CommandResult> {
    const command = this.start(args, env);
    command.child.stdin.on('error', () => undefined); // a command that reads no input may be gone
    command.child.stdin.end(input);
    return command.ended;
  }

  /** Runs a command with `--json` that has to succeed, and returns its document. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- documents of many shapes
  async json(args: string[], settings?: CommandSettings): Promise<any> {
    const { code, stdout, stderr } = await this.run([...args, '--json'], settings);
    if (code !== 0) throw new Error(`countersign ${args.join(' ')} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout);
  }

  start(args: string[], env: Record<string, string> = {}): RunningCommand {
    return new RunningCommand(this.node, [this.program, ...args], this.environment(env));
  }

  /** In a pseudo-terminal, as a person: `write` types, and stdout and stderr arrive together as `stdout`. */
  startInTerminal(args: string[], env: Record<string, string> = {}): RunningCommand {
    const words = [this.node, this.program, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
    const script = `stty cols 100 rows 40 && exec ${words.join(' ')}`;
    return new RunningCommand('script', ['-qfec', script, '/dev/null'], { TERM: 'xterm', ...this.environment(env) });
  }

  /** Signs the person of this browser in, as they would do it. */
  async login(url: string, browser: Browser, args: string[] = []): Promise<CommandResult> {
    const command = this.start(['login', url, '--no-open', ...args]);
    const code = await command.waitFor(/code ([B-Z]{4}-[B-Z]{4})/);
    await approveTerminal(browser, code[1]);
    return command.ended;
  }

  private environment(env: Record<string, string>): Record<string, string> {
    const { PATH = '' } = process.env;
    return { PATH, HOME: this.home, COUNTERSIGN_TOKEN_STORE: 'file', SHELL: '/bin/sh', ...this.env, ...env };
  }
}

const newHome = () => mkdtempSync(path.join(process.env.TEST_FOLDER!, 'home-'));

/** Enters the code on the page for it. */
export async function approveTerminal(browser: Browser, code: string): Promise<void> {
  const page = await (await browser.submit('/device', { code })).text();
  const csrf = /name="csrf" value="([^"]+)"/.exec(page)![1];
  await browser.post('/device/decision', { csrf, code, decision: 'approve' });
}

export class RunningCommand {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<CommandResult>;
  private readonly result: CommandResult = { code: null, stdout: '', stderr: '' };
  private readonly listeners = new Set<() => void>();

  constructor(program: string, args: string[], env: Record<string, string>) {
    this.child = spawn(program, args, { env });
    for (const stream of ['stdout', 'stderr'] as const)
      this.child[stream].setEncoding('utf8').on('data', (text: string) => {
        this.result[stream] += text;
        for (const listener of this.listeners) listener();
      });
    this.ended = new Promise((resolve, reject) => {
      this.child.once('error', reject);
      this.child.once('close', (code) => {
        this.result.code = code;
        for (const listener of this.listeners) listener();
        resolve(this.result);
      });
    });
  }

  get output(): string {
    return this.result.stdout + this.result.stderr;
  }

  write(text: string): void {
    this.child.stdin.write(text);
  }

  /** Resolves when the command has written this. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const check = () => {
        const found = pattern.exec(this.output);
        if (!found && this.result.code === null && this.child.signalCode === null) return;
        this.listeners.delete(check);
        if (found) resolve(found);
        else reject(new Error(`the command ended with ${this.result.code} and without ${pattern}: ${this.output}`));
      };
      this.listeners.add(check);
      check();
    });
  }
}

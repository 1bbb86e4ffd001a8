import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

/** The oldest Node that the command line supports, if this machine has it. */
const oldNode = '/usr/bin/node';
export const cliNode = existsSync(oldNode) ? oldNode : process.execPath;

export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface RunOptions {
  cwd: string;
  env?: Record<string, string>;
  /** Runs as another user; only for root. */
  uid?: number;
}

/** The bundled command line in a folder of its own, as npm would install it. */
export class ScanCli {
  private constructor(readonly file: string) {}

  static bundle(folder: string): ScanCli {
    const dist = path.join(folder, 'cli-dist');
    execFileSync(process.execPath, ['run.js', 'cli/bundle.ts', dist], { stdio: ['ignore', 'ignore', 'inherit'] });
    return new ScanCli(path.join(dist, 'countersign.js'));
  }

  /** Without the environment of this process, except for what a program needs to start. */
  start(args: readonly string[], { cwd, env = {}, uid }: RunOptions): ChildProcess {
    return spawn(cliNode, [this.file, 'estate', 'scan', ...args], {
      cwd,
      env: { PATH: process.env.PATH, HOME: cwd, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(uid !== undefined && { uid, gid: uid }),
    });
  }

  async scan(args: readonly string[], options: RunOptions): Promise<CliResult> {
    const child = this.start(args, options);
    const [stdout, stderr, code] = await Promise.all([
      textOf(child.stdout!),
      textOf(child.stderr!),
      new Promise<number | null>((resolve) => child.once('close', resolve)),
    ]);
    return { code, stdout, stderr };
  }

  async json(args: readonly string[], options: RunOptions): Promise<ScanDocument> {
    const { code, stdout, stderr } = await this.scan(['--json', ...args], options);
    if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`);
    return JSON.parse(stdout) as ScanDocument;
  }
}

export interface ScanDocument {
  findings: {
    rule: string;
    severity: string;
    path: string;
    line: number | null;
    server: string | null;
    reason: string;
    fix: string;
    evidence: Record<string, unknown>;
  }[];
  files: {
    path: string;
    client: string;
    scope: string;
    status: string;
    servers: { name: string; definitionHash: string }[];
    problems: { place: string; reason: string }[];
  }[];
  skipped: { path: string; reason: string }[];
  counts: Record<string, number>;
  upload?: Record<string, unknown>;
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += chunk as string;
  return text;
}

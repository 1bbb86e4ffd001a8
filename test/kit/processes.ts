import { transformFile } from '@swc/core';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, glob, mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { buildOnce } from './build-once.js';
import { testMasterKey } from './database.js';
import { freePort } from './free-port.js';

/* Real server processes for tests that kill them, from the current sources, bundled like the server that is shipped. */

export interface ServerProcess {
  url: string;
  pid: number;
  isAlive(): boolean;
  signal(name: NodeJS.Signals): void;
  /** Resolves when the process has exited. */
  kill(name?: NodeJS.Signals): Promise<void>;
  /** The last 50 lines of its log. */
  log(): string;
}

export async function serverProcess(
  databaseUrl: string,
  settings: Record<string, string> = {},
): Promise<ServerProcess> {
  const folder = await buildOnce('server-build', buildSources);
  const port = settings.PORT ?? String(await freePort());
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', path.join(folder, 'src/main.js')], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: databaseUrl,
      DATA_DIR: await mkdtemp(path.join(process.env.TEST_FOLDER!, 'server-')),
      NODE_COMPILE_CACHE: path.join(process.env.TEST_FOLDER!, 'compiled'),
      MASTER_KEYS: testMasterKey.toString('base64url'),
      PORT: port,
      INTERNAL_PORT: '0',
      LOG_LEVEL: process.env.TEST_LOG ?? 'warn',
      ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8,::1/128',
      ...settings,
    },
  });
  const lines: string[] = [];
  createInterface(child.stderr!).on('line', (line) => lines.push(line));
  await waitForOutput(child, /listens on (\S+)/, () => lines.join('\n'));
  // the address of this process; BASE_URL can be the common address of all processes
  return { url: `http://127.0.0.1:${port}`, ...processHandle(child), log: () => lines.slice(-50).join('\n') };
}

function processHandle(child: ChildProcess) {
  const isAlive = () => child.exitCode === null && child.signalCode === null;
  const signal = (name: NodeJS.Signals) => void child.kill(name);
  const kill = async (name: NodeJS.Signals = 'SIGKILL') => {
    if (!isAlive()) return;
    const gone = once(child, 'exit');
    child.kill(name);
    await gone;
  };
  return { pid: child.pid!, isAlive, signal, kill };
}

async function waitForOutput(child: ChildProcess, pattern: RegExp, log: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    createInterface(child.stdout!).on('line', (line) => {
      const found = pattern.exec(line);
      if (found) resolve(found[1]);
    });
    child.once('exit', (code, name) =>
      reject(new Error(`the process ended with ${code ?? name} at its start\n${log()}`)),
    );
  });
}

async function buildSources(folder: string): Promise<void> {
  await cp('src', path.join(folder, 'src'), { recursive: true, filter: (from) => !from.endsWith('.ts') });
  await cp('package.json', path.join(folder, 'package.json'));
  await symlink(path.resolve('node_modules'), path.join(folder, 'node_modules'));
  await mkdir(path.join(folder, 'dist'));
  await symlink(path.resolve('dist/web'), path.join(folder, 'dist/web')); // the console's pages
  for await (const file of glob('src/**/*.ts', { exclude: (name) => name.endsWith('.spec.ts') })) {
    const { code } = await transformFile(file, {
      swcrc: false,
      sourceMaps: 'inline',
      module: { type: 'es6' },
      jsc: {
        target: 'es2023',
        parser: { syntax: 'typescript', decorators: true },
        transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
        keepClassNames: true,
      },
    });
    await writeFile(path.join(folder, file.replace(/\.ts$/, '.js')), code);
  }
  await promisify(execFile)(process.execPath, ['bundle.ts', path.join(folder, 'src/serve.js')]);
}

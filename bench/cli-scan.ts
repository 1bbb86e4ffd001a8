import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Options, Row } from './report.ts';

/*
 * How long `estate scan` takes for a large folder of projects, and how much memory. Files of dependencies would not
 * count, because they are not listed.
 */

const files = Number(process.env.SCAN_FILES ?? 200_000);
const filesOfFolder = 10;
const foldersOfProject = 100;
const goalSeconds = 5;
const goalMegabytes = 150;
const bundle = path.resolve('cli/dist/countersign.js');

interface Usage {
  seconds: number;
  cpuSeconds: number;
  megabytes: number;
}

export async function scanRows({ runs, isSmoke, say }: Options): Promise<Row[]> {
  const root = mkdtempSync(path.join(os.tmpdir(), 'bench-scan-'));
  try {
    writeProjects(root);
    await scan(root); // fills the cache of the file system
    const usages: Usage[] = [];
    for (let run = 0; run < (isSmoke ? 1 : runs); run++) usages.push(await scan(root));
    const median = (of: (usage: Usage) => number) =>
      usages.map(of).sort((a, b) => a - b)[Math.floor(usages.length / 2)];
    const seconds = median((usage) => usage.seconds);
    const cpuSeconds = median((usage) => usage.cpuSeconds);
    const megabytes = median((usage) => usage.megabytes);
    const count = `${files.toLocaleString('en')} files`;
    say(
      `estate scan: ${count} in ${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of CPU time, ${Math.round(megabytes)} MB`,
    );
    const blank = { peer: null, ratio: null, p50: null, p99: null, goal: null, met: null };
    return [
      { ...blank, what: `scan of ${count}, s`, ours: seconds, goal: `≤ ${goalSeconds}`, met: seconds <= goalSeconds },
      { ...blank, what: `scan of ${count}, CPU s`, ours: cpuSeconds },
      {
        ...blank,
        what: `scan of ${count}, MB`,
        ours: megabytes,
        goal: `≤ ${goalMegabytes}`,
        met: megabytes <= goalMegabytes,
      },
    ];
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** Projects with folders of source files; one folder of each project has a configuration. */
function writeProjects(root: string): void {
  const names = ['index.ts', 'main.py', 'README.md', 'package.json', 'data.json', 'style.css', 'a.txt', 'b.go', 'c.rs'];
  for (let folder = 0; folder * filesOfFolder < files; folder++) {
    const project = path.join(root, `project-${Math.floor(folder / foldersOfProject)}`);
    const place = folder % foldersOfProject;
    const below = place === 0 ? '.cursor' : path.join('src', `part-${place % 10}`, `module-${place}`);
    mkdirSync(path.join(project, below), { recursive: true });
    for (const name of names) writeFileSync(path.join(project, below, name), '');
    writeFileSync(
      path.join(project, below, place === 0 ? 'mcp.json' : 'test.ts'),
      place === 0 ? JSON.stringify({ mcpServers: { notes: { command: 'npx', args: ['-y', `mcp-${folder}`] } } }) : '',
    );
  }
}

/** Reports the resources of the child process when it exits. */
const reporter = `data:text/javascript,process.on('exit',()=>process.stderr.write(JSON.stringify(process.resourceUsage())))`;

async function scan(root: string): Promise<Usage> {
  const before = performance.now();
  const child = spawn(process.execPath, ['--import', reporter, bundle, 'estate', 'scan', '--json', root], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`estate scan failed: ${stderr}`);
  const seconds = (performance.now() - before) / 1000;
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(stderr) as NodeJS.ResourceUsage;
  return { seconds, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, megabytes: maxRSS / 1024 };
}

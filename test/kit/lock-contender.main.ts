// Takes a lock again and again, and ends with 3 if another process holds it at the same time:
// node contender.mjs <lock> <marker> <rounds> <round in which it is killed while it holds the lock>
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { withFileLock } from '../../cli/client/file-lock.js';

const [lock, marker, rounds, lastRound] = process.argv.slice(2);

/** The marker exists while a process is in the protected section. A process that was killed there leaves it behind. */
function enter(): void {
  try {
    fs.writeFileSync(marker, String(process.pid), { flag: 'wx' });
  } catch {
    const holder = Number(fs.readFileSync(marker, 'utf8'));
    if (isRunning(holder)) process.exit(3);
    fs.writeFileSync(marker, String(process.pid));
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

for (let round = 1; round <= Number(rounds); round++)
  await withFileLock(lock, async () => {
    enter();
    await sleep(1);
    if (round === Number(lastRound)) process.kill(process.pid, 'SIGKILL');
    fs.rmSync(marker);
  });

import type { Principal } from '../principal/principal.js';
import type { ClaimRow, RunConfiguration } from './claims.system.sql.js';
import { restorePrincipal } from './stored-principal.js';
import type { TaskStatus } from './task.entity.js';

/** The task is another process's by now, or was canceled: whatever was being done for it no longer counts. */
export class LeaseLost extends Error {
  constructor(taskId: string) {
    super(`the lease of task ${taskId} is lost`);
    this.name = 'LeaseLost';
  }
}

/**
 * A claimed task while this process works on it. The epoch, which each claim raises, is what the database checks; the clock
 * here only keeps a process that was stopped for a while from starting something new before it has noticed.
 */
export class TaskLease {
  readonly tenantId: string;
  readonly id: string;
  readonly configurationId: string;
  /** As it was when the task was claimed; the gate looks again. Null: it is gone. */
  readonly configuration: RunConfiguration | null;
  readonly leaseEpoch: number;
  readonly attempts: number;
  /** Processes in a row that ended while they had the current step in hand. */
  readonly lostProcesses: number;
  readonly principal: Principal;
  readonly trace: Record<string, string>;
  status: TaskStatus;
  turns: number;
  isTainted: boolean;
  /** For which it was only looked how a task stands that was handed on. */
  unworkedMs = 0;
  /** Its step may end this process, too: no other such task is started here meanwhile. */
  isSuspect: boolean;
  onCleared?: () => void;
  /** The newest turn, as long as it is not written down: its call takes it along. */
  unstoredTurn?: string;

  private readonly controller = new AbortController();
  private readonly startedAt = performance.now();
  private readonly workedBeforeMs: number;
  private endsAt: number;

  constructor(
    row: ClaimRow,
    private readonly leaseSeconds: number,
  ) {
    this.tenantId = row.tenant_id;
    this.id = row.task_id;
    this.configurationId = row.configuration_id;
    this.configuration = row.configuration;
    this.leaseEpoch = row.lease_epoch;
    this.attempts = row.attempts;
    this.lostProcesses = row.lost_processes ?? 0;
    this.isSuspect = this.lostProcesses > 0;
    this.principal = restorePrincipal(row.tenant_id, row.principal);
    this.trace = row.trace ?? {};
    this.status = row.status;
    this.turns = row.turns;
    this.isTainted = row.is_tainted;
    this.workedBeforeMs = Number(row.worked_ms);
    this.endsAt = this.startedAt + leaseSeconds * 1000;
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** `askedAt`: before the renewal was sent, so that the time it took is not counted as ours. */
  extend(askedAt: number): void {
    this.endsAt = askedAt + this.leaseSeconds * 1000;
  }

  abort(): void {
    this.controller.abort(new LeaseLost(this.id));
  }

  /** The step that was suspected is over. */
  clearSuspicion(): void {
    if (!this.isSuspect) return;
    this.isSuspect = false;
    this.onCleared?.();
  }

  get isHeld(): boolean {
    return !this.signal.aborted && performance.now() < this.endsAt;
  }

  assertHeld(): void {
    if (!this.isHeld) throw new LeaseLost(this.id);
  }

  /** Runs for so long at most; the signal also ends when the lease is lost. Null: its time was up. */
  async runWithin<T>(ms: number, run: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    const ending = new AbortController();
    const onLost = () => ending.abort(this.signal.reason);
    this.signal.addEventListener('abort', onLost, { once: true });
    let isTimedOut = false;
    const timer = setTimeout(() => {
      isTimedOut = true;
      ending.abort(new Error('the time of the task is up'));
    }, ms);
    try {
      return await run(ending.signal);
    } catch (error) {
      if (isTimedOut && !this.signal.aborted) return null;
      throw error;
    } finally {
      clearTimeout(timer);
      this.signal.removeEventListener('abort', onLost);
    }
  }

  workedMs(): number {
    return this.workedBeforeMs + performance.now() - this.startedAt - this.unworkedMs;
  }
}

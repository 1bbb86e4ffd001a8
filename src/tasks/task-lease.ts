import type { Principal } from '../principal/principal.js';
import type { ClaimRow, RunConfiguration } from './claims.system.sql.js';
import { restorePrincipal } from '../principal/stored-principal.js';
import type { TaskStatus } from './task.entity.js';

/** Another process holds the task, or it was canceled: work in progress is discarded. */
export class LeaseLost extends Error {
  constructor(taskId: string) {
    super(`the lease of task ${taskId} is lost`);
    this.name = 'LeaseLost';
  }
}

/**
 * A claimed task while this process works on it. The database checks the epoch, which each claim increments. The local
 * clock only prevents a process that was suspended from starting new work before it notices the lost lease.
 */
export class TaskLease {
  readonly tenantId: string;
  readonly id: string;
  readonly configurationId: string;
  /** State at the time of the claim; the gate checks it again. Null: the configuration no longer exists. */
  readonly configuration: RunConfiguration | null;
  readonly leaseEpoch: number;
  readonly attempts: number;
  /** Consecutive processes that died while they worked on the current step. */
  readonly lostProcesses: number;
  readonly principal: Principal;
  readonly trace: Record<string, string>;
  /** Sealed until the run opens it. */
  status: TaskStatus;
  turns: number;
  isTainted: boolean;
  /** Time spent only on polls of delegated tasks. It does not count as work. */
  unworkedMs = 0;
  /** The step may crash this process too, so no other suspect is started here meanwhile. */
  isSuspect: boolean;
  onCleared?: () => void;
  /** The newest turn until it is stored; its call stores it. */
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

  /**
   * `requestedAt`: taken before the renewal was sent, so that the lease never seems longer here than in the database.
   */
  extend(requestedAt: number): void {
    this.endsAt = requestedAt + this.leaseSeconds * 1000;
  }

  abort(): void {
    this.controller.abort(new LeaseLost(this.id));
  }

  /** Call when the suspected step has ended. */
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

  /** Runs for at most `ms`. The signal also aborts when the lease is lost. Null: timed out. */
  async runWithin<T>(ms: number, run: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    const ending = new AbortController();
    const onLost = () => ending.abort(this.signal.reason);
    this.signal.addEventListener('abort', onLost, { once: true });
    let isTimedOut = false;
    const timer = setTimeout(() => {
      isTimedOut = true;
      ending.abort(new Error('the task timed out'));
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

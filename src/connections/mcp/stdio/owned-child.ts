import { newId } from '../../../platform/crypto/ids.js';
import type { Log } from '../../../platform/telemetry/log.service.js';
import { messageOf } from '../../deadline.js';
import { coalesced } from './coalesced.js';
import type { Ear, Line, StdioCommand } from './line.js';
import type { LineRows } from './line-rows.service.js';
import { ServedLines } from './served-lines.js';
import type { StdioLeases } from './stdio-leases.service.js';
import { Switchboard } from './switchboard.js';

const unusedMs = 30_000;
/** A child that worked for so long has not failed at its start. */
const longMs = 60_000;

interface Surroundings {
  leases: StdioLeases;
  rows: LineRows;
  log: Log;
}

/** A child of this process, for all of them. */
export class OwnedChild {
  /** Its lease is given back by then. */
  readonly gone: Promise<void>;
  /** Takes no new line. */
  isEnding = false;
  readonly serve: () => void;
  private readonly served: ServedLines;
  private readonly startedAt = performance.now();

  private constructor(
    private readonly id: string,
    readonly command: StdioCommand,
    private readonly board: Switchboard,
    private readonly around: Surroundings,
    lost: AbortSignal,
  ) {
    const { rows, log } = around;
    this.served = new ServedLines(id, command.name, board, rows, log);
    this.serve = coalesced(
      () => this.served.serve(),
      (error) => log.warn({ err: error, command: command.name }, 'other processes were not served'),
    );
    this.gone = board.ended.then((reason) => this.settle(reason));
    if (lost.aborted) this.lose();
    else lost.addEventListener('abort', () => this.lose());
  }

  /** Null: it may not be started here and now. */
  static async start(command: StdioCommand, around: Surroundings): Promise<OwnedChild | null> {
    const id = newId();
    const lost = new AbortController();
    if (!(await around.leases.claim(command.name, id, () => lost.abort()))) return null;
    try {
      return new OwnedChild(id, command, await Switchboard.start(command), around, lost.signal);
    } catch (error) {
      await around.leases.fail(id, messageOf(error), false);
      throw error;
    }
  }

  open(ear: Ear): Line {
    return this.board.open(ear);
  }

  /** To be called every second. */
  check(): void {
    this.board.check();
    if (this.board.isUnusedFor(unusedMs)) void this.end('nobody used it');
  }

  async end(reason: string): Promise<void> {
    this.isEnding = true;
    await this.board.end(reason);
    await this.gone;
  }

  private lose(): void {
    this.isEnding = true;
    void this.board.kill('it is another process’s turn');
  }

  private async settle(reason: string): Promise<void> {
    const { leases, log } = this.around;
    const hasFailed = !this.isEnding;
    this.isEnding = true;
    if (hasFailed) log.warn({ command: this.command.name, reason }, 'a command ended');
    try {
      await this.served.close(reason);
      if (hasFailed) await leases.fail(this.id, reason, performance.now() - this.startedAt > longMs);
      else await leases.release(this.id);
    } catch (error) {
      log.warn({ err: error, command: this.command.name }, 'that a command ended was not written; its lease runs out');
    }
  }
}

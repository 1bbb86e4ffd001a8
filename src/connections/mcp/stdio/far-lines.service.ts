import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { setImmediate as turn } from 'node:timers/promises';
import { newId } from '../../../platform/crypto/ids.js';
import { Wakes } from '../../../platform/events/wakes.service.js';
import { Log } from '../../../platform/telemetry/log.service.js';
import { NotSent } from '../../connections.error.js';
import { within } from '../../deadline.js';
import { coalesced } from './coalesced.js';
import { FarLine } from './far-line.js';
import type { Ear, Line } from './line.js';
import { LineRows, linesTopic } from './line-rows.service.js';

const keepMs = 5000;

/** Our lines to children that other processes own. */
@Injectable()
export class FarLines implements OnModuleInit, OnModuleDestroy {
  private readonly lines = new Map<string, FarLine>();
  private readonly timer = setInterval(() => void this.keep(), keepMs).unref();
  private readonly listen = coalesced(
    () => this.read(),
    (error) => this.log.warn({ err: error }, 'the lines to commands were not read'),
  );

  constructor(
    private readonly rows: LineRows,
    private readonly wakes: Wakes,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    this.wakes.on(linesTopic, (ids) => {
      if (this.lines.size && (ids === 'all' || ids.some((id) => this.lines.has(id)))) this.listen();
    });
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** Waits until a process has accepted it. */
  async open(command: string, ear: Ear, patienceMs: number): Promise<Line> {
    const id = newId();
    const line = new FarLine(id, command, ear, this.rows, () => this.lines.delete(id));
    await this.rows.open(id, command);
    this.lines.set(id, line);
    this.listen();
    try {
      await within(AbortSignal.timeout(patienceMs), line.accepted);
    } catch (error) {
      await line.close();
      if (error instanceof NotSent) throw error;
      throw new NotSent(`No process that runs commands has started "${command}" in time.`, { cause: error });
    }
    return line;
  }

  private async read(): Promise<void> {
    const ids = [...this.lines.keys()];
    if (!ids.length) return;
    const states = new Map((await this.rows.states(ids)).map((state) => [state.id, state]));
    for (const { line, ...said } of await this.rows.answers(ids)) {
      this.lines.get(line)?.hear(said);
      await turn(); // the SDK forgets who wants to hear of a call's progress as soon as its answer is there
    }
    for (const id of ids) {
      const { isAccepted = false, isLost = true, closed = null } = states.get(id) ?? {};
      if (closed !== null) await this.lines.get(id)?.lose(closed);
      else if (isLost) await this.lines.get(id)?.lose('the process that ran it is gone');
      else if (isAccepted) this.lines.get(id)?.accept();
    }
  }

  private async keep(): Promise<void> {
    if (!this.lines.size) return;
    try {
      await this.rows.keep([...this.lines.keys()]);
    } catch (error) {
      this.log.warn({ err: error }, 'the lines to commands were not kept');
    }
  }
}

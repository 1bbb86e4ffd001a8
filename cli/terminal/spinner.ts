import { environment } from '../environment.js';
import { exitCodes } from '../exit-codes.js';
import type { Output } from './output.js';

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 100;

/** Progress on one line of stderr while a command waits. Without a terminal, each text is printed once as a line. */
export class Spinner {
  private text = '';
  private frame = 0;
  private isWaiting = false;
  private timer?: NodeJS.Timeout;

  /** `explainInterrupt`: says after Ctrl-C what goes on without the command. */
  constructor(
    private readonly output: Output,
    private readonly explainInterrupt: () => void = () => undefined,
  ) {}

  show(text: string): void {
    this.watchInterrupts();
    if (this.output.isJson || text === this.text) return;
    this.text = text;
    if (!environment.hasLiveTerminal()) return this.output.note(text);
    this.timer ??= setInterval(() => this.draw(), frameMs);
    this.draw();
  }

  /** A line that stays above the progress, such as a link: it may be longer than the terminal is wide. */
  note(text: string): void {
    this.watchInterrupts();
    if (this.timer) this.clear();
    this.output.note(text);
  }

  /** Removes the line. */
  stop(): void {
    process.off('SIGINT', this.interrupt);
    this.isWaiting = false;
    this.text = '';
    if (!this.timer) return;
    clearInterval(this.timer);
    this.timer = undefined;
    this.clear();
    process.stderr.write('\u001b[?25h');
  }

  /** Before anything is shown, because a person can react to it at once. */
  private watchInterrupts(): void {
    if (!this.isWaiting) process.on('SIGINT', this.interrupt);
    this.isWaiting = true;
  }

  /** The cursor, which `draw` hides, would stay hidden in the shell. */
  private readonly interrupt = () => {
    this.stop();
    this.explainInterrupt();
    process.exit(exitCodes.interrupted);
  };

  private clear(): void {
    process.stderr.write('\r\u001b[K');
  }

  private draw(): void {
    const width = (process.stderr.columns || 80) - 3;
    const text = this.text.length > width ? `${this.text.slice(0, width - 1)}…` : this.text;
    process.stderr.write(`\r\u001b[?25l\u001b[K${frames[this.frame++ % frames.length]} ${text}`);
  }
}

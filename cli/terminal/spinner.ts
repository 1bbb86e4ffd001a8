import { type Output } from './output.js';

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 100;

/** Progress on one line of stderr. Without a terminal, each text is printed once as a line. */
export class Spinner {
  private text = '';
  private frame = 0;
  private timer?: NodeJS.Timeout;

  constructor(private readonly output: Output) {}

  show(text: string): void {
    if (this.output.isJson || text === this.text) return;
    this.text = text;
    if (!process.stderr.isTTY) return this.output.note(text);
    this.timer ??= setInterval(() => this.draw(), frameMs);
    this.draw();
  }

  /** A line that stays above the progress, such as a link: it may be longer than the terminal is wide. */
  note(text: string): void {
    this.clear();
    this.output.note(text);
  }

  /** Removes the line. */
  stop(): void {
    if (!this.timer) return;
    clearInterval(this.timer);
    this.timer = undefined;
    this.text = '';
    this.clear();
    process.stderr.write('\u001b[?25h');
  }

  private clear(): void {
    if (process.stderr.isTTY && !this.output.isJson) process.stderr.write('\r\u001b[K');
  }

  private draw(): void {
    const width = (process.stderr.columns || 80) - 3;
    const text = this.text.length > width ? `${this.text.slice(0, width - 1)}…` : this.text;
    process.stderr.write(`\r\u001b[?25l\u001b[K${frames[this.frame++ % frames.length]} ${text}`);
  }
}

import { CommandError } from '../command-error.js';
import { environment } from '../environment.js';
import { exitCodes } from '../exit-codes.js';
import { jsonText } from './plain-text.js';

export type Color = 'bold' | 'dim' | 'red' | 'green' | 'yellow';

/** Where a command writes: results to stdout, everything else to stderr. */
export interface Output {
  /** True with `--json`: exactly one JSON document on stdout, no colours, no spinners. */
  readonly isJson: boolean;
  /** One line of a result, for people. Not printed with `--json`. Texts of others go through `plainText` first. */
  line(text?: string): void;
  /** The result for scripts. Only printed with `--json`. */
  json(value: unknown): void;
  /** Progress and hints on stderr. Not printed with `--json`. */
  note(text: string): void;
  /** The text in a colour, where the terminal shows colours. */
  color(color: Color, text: string): string;
}

const codes: Record<Color, [open: number, close: number]> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
};

/** stdout and stderr of this process. */
export function processOutput(isJson: boolean): Output {
  const hasColor = !isJson && environment.hasColor();
  return {
    isJson,
    line: (text = '') => void (isJson || process.stdout.write(`${text}\n`)),
    json: (value) => void (isJson && process.stdout.write(`${jsonText(value, 2)}\n`)),
    note: (text) => void (isJson || process.stderr.write(`${text}\n`)),
    color: (color, text) => (hasColor ? `\u001b[${codes[color][0]}m${text}\u001b[${codes[color][1]}m` : text),
  };
}

/** A reader that closed its pipe early (`| head`) is no failure; an output that cannot be written is one. */
export function watchStreams(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(exitCodes.ok);
    process.stderr.write(`Error: The output cannot be written (${error.code ?? error.message}).\n`);
    process.exit(exitCodes.failure);
  });
  process.stderr.on('error', () => undefined);
}

/** Whether a person can be asked. */
export const isInteractive = ({ isJson }: Output): boolean =>
  !isJson && process.stdin.isTTY === true && process.stderr.isTTY === true;

export const canceled = (message = 'Canceled.'): CommandError =>
  new CommandError(exitCodes.interrupted, 'interrupted', message);

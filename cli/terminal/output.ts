import { jsonText } from './plain-text.js';

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
}

/** stdout and stderr of this process. A reader that closed its pipe early (`| head`) is no failure. */
export function processOutput(isJson: boolean): Output {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(0);
      throw error;
    });
  }
  return {
    isJson,
    line: (text = '') => void (isJson || process.stdout.write(`${text}\n`)),
    json: (value) => void (isJson && process.stdout.write(`${jsonText(value, 2)}\n`)),
    note: (text) => void (isJson || process.stderr.write(`${text}\n`)),
  };
}

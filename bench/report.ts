import os from 'node:os';

export interface Options {
  /** Duration of each measurement. */
  seconds: number;
  runs: number;
  /** Runs everything once with the full data size, and checks no goals. */
  isSmoke: boolean;
  say(line: string): void;
}
export interface Row {
  what: string;
  /** Requests per second, unless `what` names another unit. */
  ours: number;
  peer: number | null;
  ratio: number | null;
  p50: number | null;
  p99: number | null;
  goal: string | null;
  met: boolean | null;
}
export interface Report {
  name: string;
  machine: string;
  rows: Row[];
}

export const machine = (): string => {
  const [cpu] = os.cpus();
  return `${os.cpus().length} × ${cpu.model.trim()}, ${Math.round(os.totalmem() / 2 ** 30)} GiB, ${os.type()} ${os.release()}, Node ${process.version}`;
};

export function print({ name, machine: where, rows }: Report): string {
  const head = ['', 'ours', 'peer', 'ratio', 'p50', 'p99', 'goal', ''];
  const number = (value: number | null) =>
    value === null ? '' : value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(1);
  const lines = rows.map((row) => [
    row.what,
    number(row.ours),
    number(row.peer),
    row.ratio === null ? '' : `${row.ratio.toFixed(1)}×`,
    number(row.p50),
    number(row.p99),
    row.goal ?? '',
    row.met === null ? '' : row.met ? 'met' : 'MISSED',
  ]);
  const widths = head.map((title, column) => Math.max(title.length, ...lines.map((line) => line[column].length)));
  const format = (line: string[]) =>
    line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join('  ');
  return [`${name}: ${where}`, format(head), ...lines.map(format), ''].join('\n');
}

import { planRows } from './cli-plan.ts';
import { machine, type Options, type Report } from './report.ts';

export const commandLine = async (options: Options): Promise<Report> => ({
  name: 'command line',
  machine: machine(),
  rows: await planRows(options),
});

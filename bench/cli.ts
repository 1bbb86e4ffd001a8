import { planRows } from './cli-plan.ts';
import { scanRows } from './cli-scan.ts';
import { startRows } from './cli-start.ts';
import { machine, type Options, type Report } from './report.ts';

export const commandLine = async (options: Options): Promise<Report> => ({
  name: 'command line',
  machine: machine(),
  rows: [...(await startRows(options)), ...(await scanRows(options)), ...(await planRows(options))],
});

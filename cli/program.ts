import { Command } from 'commander';
import { ServerClient } from './client/server-client.js';
import type { CommandContext } from './command-context.js';
import { CommandError } from './command-error.js';
import { registerOrganizationCommands } from './commands/organization/organization.commands.js';
import { environment } from './environment.js';
import { exitCodes } from './exit-codes.js';
import { processOutput } from './terminal/output.js';
import { jsonText, plainLines } from './terminal/plain-text.js';

interface GlobalOptions {
  json?: boolean;
  server?: string;
}

/** Runs the command line and returns its exit code. Commands load their code when they run, so that the first output is fast. */
export async function runProgram(args: string[]): Promise<number> {
  const program = new Command('countersign')
    .description('Governed tools, tasks and approvals of your organization in a terminal')
    .option('--server <url>', 'address of the server (default: COUNTERSIGN_URL, then the stored login)')
    .option('--json', 'print one JSON document for scripts')
    .showHelpAfterError('See countersign --help.')
    .exitOverride();
  const context = (): CommandContext => contextOf(program.opts<GlobalOptions>());
  registerCommands(program, context);
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    return report(error, program.opts<GlobalOptions>().json === true);
  }
}

/** Each area registers its commands here, in the order of `--help`. */
function registerCommands(program: Command, context: () => CommandContext): void {
  registerOrganizationCommands(program, context);
}

function contextOf(options: GlobalOptions): CommandContext {
  return {
    output: processOutput(options.json === true),
    server: async () => {
      const baseUrl = options.server ?? environment.server();
      const token = environment.token();
      if (!baseUrl || !token)
        throw new CommandError(exitCodes.unauthenticated, 'not-signed-in', 'You are not signed in.');
      return new ServerClient({ baseUrl: baseUrl.replace(/\/+$/, ''), token });
    },
  };
}

function report(error: unknown, isJson: boolean): number {
  if (error instanceof CommandError) {
    const { code, message, details } = error;
    const text = isJson ? jsonText({ error: { code, message, ...details } }) : `Error: ${plainLines(message)}`;
    process.stderr.write(`${text}\n`);
    return error.exitCode;
  }
  const { exitCode, code } = error as { exitCode?: number; code?: string };
  if (code?.startsWith('commander.')) return exitCode === 0 ? exitCodes.ok : exitCodes.usage; // commander has printed it
  throw error;
}

import { Command, CommanderError } from 'commander';
import type { CommandContext } from './command-context.js';
import { registerEstateCommands } from './commands/estate/estate.commands.js';
import { CommandError } from './command-error.js';
import { registerAccountCommands } from './commands/account.commands.js';
import { registerOrganizationCommands } from './commands/organization/organization.commands.js';
import { registerShellCommands } from './commands/shell.commands.js';
import { registerTaskCommands } from './commands/task.commands.js';
import { registerToolCommands } from './commands/tool.commands.js';
import { environment } from './environment.js';
import { exitCodes } from './exit-codes.js';
import { processOutput, watchStreams } from './terminal/output.js';
import { jsonText, plainLines } from './terminal/plain-text.js';
import { cliVersion } from './version.js';

interface GlobalOptions {
  json?: boolean;
  server?: string;
}

/** Runs the command line and returns its exit code. Commands load their code when they run, so that the first output is fast. */
export async function runProgram(args: string[]): Promise<number> {
  watchStreams();
  const program = createProgram();
  try {
    if (!args.length) program.help();
    await program.parseAsync(args, { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    return report(error, args.includes('--json'));
  }
}

/** Also for the shell completion and the manual page. */
export function createProgram(): Command {
  const program = new Command('countersign')
    .description('Governed tools, tasks and approvals of your organization in a terminal')
    .version(cliVersion)
    .option('--server <url>', 'address of the server (default: COUNTERSIGN_URL, then the last login)')
    .option('--json', 'print one JSON document for scripts')
    .configureHelp({ showGlobalOptions: true, subcommandTerm })
    .addHelpText(
      'after',
      `
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 found, 4 denied, 5 executed and
failed, 69 server unavailable, 75 waits for a decision, 77 not signed in,
130 interrupted. Details: man countersign, docs/cli.md`,
    )
    .exitOverride();
  program.configureOutput({
    outputError: () => undefined, // `report` prints errors
    writeErr: (help) => void (program.opts<GlobalOptions>().json || process.stderr.write(`${help}\n`)),
  });
  const context = (): CommandContext => contextOf(program.opts<GlobalOptions>());
  registerCommands(program, context);
  return program;
}

/** Each area registers its commands here, in the order of `--help`. */
function registerCommands(program: Command, context: () => CommandContext): void {
  registerAccountCommands(program, context);
  registerToolCommands(program, context);
  registerTaskCommands(program, context);
  registerEstateCommands(program, context);
  registerOrganizationCommands(program, context);
  registerShellCommands(program, context);
}

/** Without "[options]", which every command has. */
function subcommandTerm(command: Command): string {
  const args = command.registeredArguments.map((argument) => {
    const name = argument.name() + (argument.variadic ? '...' : '');
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [command.name(), ...args, ...(command.commands.length ? ['<command>'] : [])].join(' ');
}

function contextOf({ json, server }: GlobalOptions): CommandContext {
  return {
    output: processOutput(json === true),
    serverUrl: async () => (await import('./client/sign-in.js')).resolveServer(server),
    server: async () => (await import('./client/sign-in.js')).signedInClient(server),
  };
}

function report(error: unknown, isJson: boolean): number {
  if (error instanceof CommandError) {
    const { code, message, details } = error;
    const text = isJson ? jsonText({ error: { code, message, ...details } }) : errorText(error);
    process.stderr.write(`${text}\n`);
    return error.exitCode;
  }
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitCodes.ok; // --help and --version
    return report(new CommandError(exitCodes.usage, 'invalid-usage', usageText(error)), isJson);
  }
  const unexpected = (environment.isDebugging() ? (error as Error).stack : undefined) ?? (error as Error).message;
  return report(new CommandError(exitCodes.failure, 'unexpected', `Unexpected: ${unexpected}`), isJson);
}

/** To wait, and to be canceled, is no error. */
function errorText({ exitCode, message }: CommandError): string {
  const isError = exitCode !== exitCodes.pending && exitCode !== exitCodes.interrupted;
  return (isError ? 'Error: ' : '') + plainLines(message);
}

function usageText({ code, message }: CommanderError): string {
  const text = code === 'commander.help' ? 'Name a command.' : message.replace(/^error: /, '');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}\nSee countersign --help.`;
}

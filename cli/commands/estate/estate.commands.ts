import { Argument, Option, type Command } from 'commander';
import { severities } from '../../../src/estate/findings/rule.js';
import type { CommandContext } from '../../command-context.js';
import type { ScanOptions } from './scan.js';

/** Commands about the configuration of AI clients. */
export function registerEstateCommands(program: Command, context: () => CommandContext): void {
  const estate = program.command('estate').description('AI clients and MCP servers that are configured on a machine');
  estate
    .command('scan')
    .description(
      'Find risks in the configuration of AI clients and MCP servers. Files are only read: nothing is started, and nothing leaves this machine without --upload.',
    )
    .addArgument(new Argument('[paths...]', 'folders or files (default: the current folder)'))
    .option('--user', 'scan the configuration of your own AI clients in your home folder')
    .addOption(
      new Option('--fail-on <severity>', 'exit with code 3 if there is a finding of this severity or worse').choices(
        severities,
      ),
    )
    .option('--sarif <file>', 'also write the findings as SARIF 2.1.0, for code hosts ("-": to stdout)')
    .option('--upload', 'send the files to the inventory of your organization, with their secrets replaced')
    .option('--owner <email>', 'with --upload: email address of the owner of this machine')
    .option('--device <name>', 'with --upload: name of this machine (default: its host name)')
    .option('--complete', 'with --upload: files of this machine that were not found are gone')
    .option('--yes', 'with --upload: do not ask for confirmation')
    .addHelpText(
      'after',
      `
Examples:
  $ countersign estate scan                        the current folder
  $ countersign estate scan --user                 your own clients
  $ countersign estate scan --fail-on high --sarif findings.sarif
  $ COUNTERSIGN_KEY_FILE=estate.key countersign --server https://countersign.example.com estate scan --user --upload

--upload needs a tenant key of the scope "estate" in COUNTERSIGN_KEY, or in the file COUNTERSIGN_KEY_FILE.`,
    )
    .action(async (paths: string[], options: ScanOptions) => {
      const { scan } = await import('./scan.js');
      await scan(context(), paths, { ...options, server: program.opts<{ server?: string }>().server });
    });
}

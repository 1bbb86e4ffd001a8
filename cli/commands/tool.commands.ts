import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { CallOptions } from './call.js';
import type { SearchOptions } from './search.js';

const configurationOption = [
  '-c, --configuration <name>',
  'name or id of the configuration (default: COUNTERSIGN_CONFIGURATION, then the only one)',
] as const;
const noWaitOption = ['--no-wait', 'do not wait for a decision: exit with 75 and the id of the call'] as const;
const collect = (value: string, earlier: string[] = []) => [...earlier, value];

export function registerToolCommands(program: Command, context: () => CommandContext): void {
  program
    .command('configurations')
    .description('list the configurations that you may use')
    .action(async () => (await import('./configurations.js')).configurations(context()));
  program
    .command('tools')
    .description('list the tools that the policies could allow you, or describe one')
    .argument('[words...]', 'only tools with all of these words; the whole name of a tool shows its arguments')
    .option(...configurationOption)
    .action(async (words: string[], options: { configuration?: string }) =>
      (await import('./tools.js')).tools(context(), words, options),
    );
  program
    .command('call')
    .description('call a tool, and wait for a decision if the policies require one')
    .argument('[tool]', 'name of the tool, as "countersign tools" shows it')
    .option('-a, --arg <name=value>', 'an argument; name:=value for JSON (repeatable)', collect)
    .option('-i, --input <file>', 'read all arguments as a JSON object from a file, or from stdin with "-"')
    .option(...configurationOption)
    .option(...noWaitOption)
    .option('--resume <id>', 'wait for an earlier call, and show its outcome')
    .addHelpText(
      'after',
      `
Examples:
  countersign call workplace__create_ticket -a title="Line 3 stands still"
  jq '{title: .subject}' mail.json |
    countersign call workplace__create_ticket --input -
  countersign call --resume 01a1f94e-2b90-7b8e-a5f3-7e1d0c9f4a22`,
    )
    .action(async (tool: string | undefined, options: CallOptions) =>
      (await import('./call.js')).call(context(), tool, options),
    );
  program
    .command('search')
    .description('search the knowledge of your organization; also shows tickets and pages that the results name')
    .argument('<words...>', 'what you look for; a whole question works too')
    .addOption(new Option('-n, --limit <count>', 'maximum number of passages, up to 20').default('8', '8'))
    .option('--kind <kind>', 'only code, ticket, doc or message')
    .option('--source <name>', 'only the integration with this slug')
    .option('--container <title>', 'only the repository, project, space or channel with this title')
    .option('--author <name>', 'only documents of this author')
    .option('--since <day>', 'only documents last changed on this day or later, such as 2026-01-31')
    .option('--before <day>', 'only documents last changed before this day')
    .option(...configurationOption)
    .option(...noWaitOption)
    .action(async (words: string[], options: SearchOptions) =>
      (await import('./search.js')).search(context(), words, options),
    );
  program
    .command('approvals')
    .description('list the calls that wait for your decision; you decide in the browser')
    .option('--open', 'open one of them in the browser')
    .action(async (options: { open?: boolean }) => (await import('./approvals.js')).approvals(context(), options));
}

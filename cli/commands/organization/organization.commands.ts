import type { Command } from 'commander';
import type { CommandContext } from '../../command-context.js';
import type { ApplyOptions, PlanOptions } from './organization-plan.js';

/** Commands that keep the organization in files. */
export function registerOrganizationCommands(program: Command, context: () => CommandContext): void {
  program
    .command('export')
    .description('write the organization as YAML: to stdout, or as files into a folder')
    .option('--dir <folder>', 'write one file for each object, and a JSON Schema for editors')
    .option('--with-members', 'list the members of groups, by email address')
    .action(async (options: { dir?: string; withMembers?: true }) =>
      (await import('./export-organization.js')).exportOrganization(context(), options),
    );

  planOptions(
    program
      .command('plan')
      .description('show what "apply" would change, field by field')
      .argument('[folder]', folderHelp, '.'),
  )
    .option('--detailed-exit-code', 'exit with 3 if there is anything to change')
    .action(async (folder: string, options: PlanOptions) =>
      (await import('./plan-organization.js')).showPlan(context(), folder, options),
    );

  planOptions(
    program
      .command('apply')
      .description('change the organization to what the files say, in one transaction')
      .argument('[folder]', folderHelp, '.'),
  )
    .option('--yes', 'apply without asking')
    .action(async (folder: string, options: ApplyOptions) =>
      (await import('./plan-organization.js')).applyPlan(context(), folder, options),
    );

  const policy = program.command('policy').description('policies in files');
  policy
    .command('diff')
    .description('show how the policies in force differ from the files')
    .argument('[folder]', folderHelp, '.')
    .option('--detailed-exit-code', 'exit with 3 if they differ')
    .action(async (folder: string, options: PlanOptions) =>
      (await import('./plan-organization.js')).showPlan(context(), folder, { ...options, kinds: ['policy'] }),
    );
  policy
    .command('apply')
    .description('publish the policies of the files')
    .argument('[folder]', folderHelp, '.')
    .option('--yes', 'publish without asking')
    .action(async (folder: string, options: ApplyOptions) =>
      (await import('./plan-organization.js')).applyPlan(context(), folder, { ...options, kinds: ['policy'] }),
    );
}

const folderHelp = 'the folder of the files';

const planOptions = (command: Command): Command =>
  command
    .option('--prune', 'delete integrations, groups, clients and budgets that have no document')
    .option('--replace-secrets', 'replace stored credentials by those of the environment');

import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-context.js';
import type { SendOptions, TaskOutputOptions } from './task-send.js';

const outputOption = ['-o, --output <folder>', 'write the artifacts into files in this folder'] as const;
const overwriteOption = ['--overwrite', 'replace files that exist'] as const;
const noWaitOption = ['--no-wait', 'return at once; with 75 while the task is not finished'] as const;

export function registerTaskCommands(program: Command, context: () => CommandContext): void {
  const task = program.command('task').description('hand work to the agent of your organization');
  task
    .command('send')
    .description('describe a task, or answer the question of one')
    .argument('[text...]', 'what the agent should do (default: stdin)')
    .option('--id <id>', 'your id of the task; the id of a task that waits for information continues it')
    .option(
      '-c, --configuration <name>',
      'name or id of the configuration (default: COUNTERSIGN_CONFIGURATION, then the only one)',
    )
    .option(...outputOption)
    .option(...overwriteOption)
    .option(...noWaitOption)
    .action(async (words: string[], options: SendOptions) =>
      (await import('./task-send.js')).sendTask(context(), words, options),
    );
  task
    .command('watch')
    .description('follow a task until it ends, and show its result')
    .argument('<id>', 'id of the task')
    .option(...outputOption)
    .option(...overwriteOption)
    .option(...noWaitOption)
    .action(async (id: string, options: TaskOutputOptions) =>
      (await import('./task-send.js')).watchTask(context(), id, options),
    );
  task
    .command('list')
    .description('list your tasks, newest first')
    .option('--state <state>', 'only tasks in this state')
    .addOption(new Option('-n, --limit <count>', 'maximum number of tasks, up to 100').default('20', '20'))
    .action(async (options: { state?: string; limit: string }) =>
      (await import('./task-list.js')).listTasks(context(), options),
    );
  task
    .command('cancel')
    .description('cancel a task; a call in progress is not undone')
    .argument('<id>', 'id of the task')
    .action(async (id: string) => (await import('./task-list.js')).cancelTask(context(), id));
}

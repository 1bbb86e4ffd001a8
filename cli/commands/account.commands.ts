import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';

export function registerAccountCommands(program: Command, context: () => CommandContext): void {
  program
    .command('login')
    .description('connect this terminal to a server, with a code that you enter in the browser')
    .argument('[server]', 'address of the server, such as https://countersign.example.com')
    .option('--read-only', 'only read: tools that change something, and tasks, are refused')
    .option('--no-open', 'do not open the page in the browser')
    .action(async (server: string | undefined, options: { readOnly?: boolean; open: boolean }) =>
      (await import('./login.js')).login(context(), { ...options, server }),
    );
  program
    .command('logout')
    .description('disconnect this terminal')
    .action(async () => (await import('./logout.js')).logout(context()));
  program
    .command('whoami')
    .description('show who you are, and where')
    .action(async () => (await import('./whoami.js')).whoami(context()));
  program
    .command('doctor')
    .description('check the installation, the server and the sign-in')
    .action(async () => (await import('./doctor.js')).doctor(context()));
}

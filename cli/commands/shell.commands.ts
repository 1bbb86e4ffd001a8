import { Argument, type Command } from 'commander';
import type { CommandContext } from '../command-context.js';

export function registerShellCommands(program: Command, context: () => CommandContext): void {
  program
    .command('completion')
    .description('print the completion script of a shell')
    .addArgument(new Argument('<shell>', 'your shell').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      `
To install it:
  bash  countersign completion bash > ~/.local/share/bash-completion/completions/countersign
  zsh   countersign completion zsh > "\${fpath[1]}/_countersign"
  fish  countersign completion fish > ~/.config/fish/completions/countersign.fish`,
    )
    .action(async (shell: 'bash' | 'zsh' | 'fish') =>
      (await import('./completion.js')).completion(context(), program, shell),
    );
}

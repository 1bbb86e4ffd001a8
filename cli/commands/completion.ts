import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';

type Shell = 'bash' | 'zsh' | 'fish';

export function completion({ output }: CommandContext, program: Command, shell: Shell): void {
  const script = { bash, zsh, fish }[shell](listCommands(program));
  output.json({ shell, script });
  output.line(script);
}

interface CompletedCommand {
  /** The words after `countersign`; empty for `countersign` itself. */
  path: string;
  words: { word: string; help: string }[];
}

/** Each command with the words that can follow it: commands, options, and values that are fixed. */
function listCommands(command: Command, path: string[] = []): CompletedCommand[] {
  const help = Object.assign(command.createHelp(), { showGlobalOptions: true });
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
  const words = [
    ...help.visibleCommands(command).map((one) => ({ word: one.name(), help: one.description() })),
    ...command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices.map((word) => ({ word, help: '' }))),
    ...options.map((one) => ({ word: one.long ?? one.short!, help: one.description })),
  ];
  return [
    { path: path.join(' '), words },
    ...command.commands.flatMap((one) => listCommands(one, [...path, one.name()])),
  ];
}

/** The words before the cursor without options lead to the command. */
const bash = (commands: CompletedCommand[]): string => `# bash completion for countersign
_countersign() {
  local command_path="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$command_path $word" in
${commands
  .filter(({ path }) => path)
  .map(({ path }) => `      ${JSON.stringify(` ${path}`)}) command_path=${JSON.stringify(` ${path}`)} ;;`)
  .join('\n')}
    esac
  done
  local words=""
  case "$command_path" in
${commands.map(({ path, words }) => `    ${JSON.stringify(path && ` ${path}`)}) words="${words.map(({ word }) => word).join(' ')}" ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
  [ \${#COMPREPLY[@]} -gt 0 ] || compopt -o default
}
complete -F _countersign countersign`;

const zsh = (commands: CompletedCommand[]): string => `#compdef countersign
_countersign() {
  local command_path="" word
  local -a entries
  for word in "\${words[@]:1:CURRENT-2}"; do
    case "$command_path $word" in
${commands
  .filter(({ path }) => path)
  .map(({ path }) => `      ${JSON.stringify(` ${path}`)}) command_path=${JSON.stringify(` ${path}`)} ;;`)
  .join('\n')}
    esac
  done
  case "$command_path" in
${commands
  .map(
    ({ path, words }) =>
      `    ${JSON.stringify(path && ` ${path}`)}) entries=(${words.map(({ word, help }) => shellQuoted(`${word}:${help}`)).join(' ')}) ;;`,
  )
  .join('\n')}
  esac
  _describe 'countersign' entries || _files
}
compdef _countersign countersign`;

const fish = (commands: CompletedCommand[]): string =>
  [
    '# fish completion for countersign',
    'function __countersign_path',
    '  set -l tokens (commandline -opc)',
    '  set -l words',
    '  for word in $tokens[2..]',
    '    string match -q -- "-*" $word; or set -a words $word',
    '  end',
    '  echo (string join " " $words)',
    'end',
    ...commands.flatMap(({ path, words }) =>
      words.map(({ word, help }) => {
        const condition = path
          ? `string match -q -- ${shellQuoted(`${path}*`)} (__countersign_path)`
          : 'test -z (__countersign_path)';
        const what = word.startsWith('--')
          ? `-l ${word.slice(2)}`
          : word.startsWith('-')
            ? `-s ${word.slice(1)}`
            : `-f -a ${word}`;
        return `complete -c countersign -n ${shellQuoted(condition)} ${what} -d ${shellQuoted(help)}`;
      }),
    ),
  ].join('\n');

const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

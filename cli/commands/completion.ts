import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';

type Shell = 'bash' | 'zsh' | 'fish';

export function completion({ output }: CommandContext, program: Command, shell: Shell): void {
  const script = { bash, zsh, fish }[shell](listCommands(program));
  output.json({ shell, script });
  output.line(script);
}

interface CompletedCommand {
  /** The words after `countersign`, each after a space; empty for `countersign` itself. */
  path: string;
  /** What can follow it: commands, and arguments with fixed values. */
  words: { word: string; help: string }[];
  options: CompletedOption[];
}

interface CompletedOption {
  long: string;
  short?: string;
  help: string;
  takesValue: boolean;
}

function listCommands(command: Command, path = ''): CompletedCommand[] {
  const help = Object.assign(command.createHelp(), { showGlobalOptions: true });
  const words = [
    ...help.visibleCommands(command).map((one) => ({ word: one.name(), help: one.description() })),
    ...command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices.map((word) => ({ word, help: '' }))),
  ];
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)].map((one) => ({
    long: one.long!,
    short: one.short,
    help: one.description,
    takesValue: one.required || one.optional,
  }));
  return [{ path, words, options }, ...command.commands.flatMap((one) => listCommands(one, `${path} ${one.name()}`))];
}

/* Each script goes through the words before the cursor: those that name a command lead to it. */

const pathsOf = (commands: CompletedCommand[]): string[] => commands.map(({ path }) => path).filter(Boolean);

/** Options after which the shell completes file names. */
const optionsWithValue = ({ options }: CompletedCommand): string[] =>
  options.flatMap(({ takesValue, short, long }) =>
    takesValue ? [short, long].filter((name) => name !== undefined) : [],
  );

const bash = (commands: CompletedCommand[]): string => `# bash completion for countersign
_countersign() {
  local command_path="" word candidates="" options="" with_value=""
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$command_path $word" in
      ${pathsOf(commands).map(shellQuoted).join('|')}) command_path="$command_path $word" ;;
    esac
  done
  case "$command_path" in
${commands
  .map((command) => {
    const words = command.words.map(({ word }) => word).join(' ');
    const options = command.options.map(({ long }) => long).join(' ');
    const withValue = optionsWithValue(command).join(' ');
    return `    '${command.path}') candidates='${words}' options='${options}' with_value=' ${withValue} ' ;;`;
  })
  .join('\n')}
  esac
  if [[ "$with_value" == *" $previous "* ]]; then candidates=""
  elif [[ "$current" == -* ]]; then candidates="$options"
  fi
  COMPREPLY=($(compgen -W "$candidates" -- "$current"))
  [ \${#COMPREPLY[@]} -gt 0 ] || compopt -o default
}
complete -F _countersign countersign`;

/** As a file in `fpath`, the script is the body of the function, so that its first call has to complete too. */
const zsh = (commands: CompletedCommand[]): string => `#compdef countersign
_countersign() {
  local command_path="" word previous="$words[CURRENT-1]"
  local -a candidates flags with_value
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$command_path $word" in
      ${pathsOf(commands).map(shellQuoted).join('|')}) command_path="$command_path $word" ;;
    esac
  done
  case "$command_path" in
${commands
  .map((command) => {
    const words = command.words.map(({ word, help }) => shellQuoted(help ? `${word}:${help}` : word)).join(' ');
    const flags = command.options.map(({ long, help }) => shellQuoted(`${long}:${help}`)).join(' ');
    const withValue = optionsWithValue(command).join(' ');
    return `    '${command.path}') candidates=(${words}) flags=(${flags}) with_value=(${withValue}) ;;`;
  })
  .join('\n')}
  esac
  if (( $with_value[(Ie)$previous] )); then _files
  elif [[ "$PREFIX" == -* ]]; then _describe -o option flags
  else _describe command candidates || _files
  fi
}
if [ "$funcstack[1]" = _countersign ]; then _countersign "$@"; else compdef _countersign countersign; fi`;

const fish = (commands: CompletedCommand[]): string =>
  [
    '# fish completion for countersign',
    'function __countersign_at',
    "  set -l command_path ''",
    '  for word in (commandline -opc)[2..]',
    '    switch "$command_path $word"',
    `      case ${pathsOf(commands).map(shellQuoted).join(' ')}`,
    '        set command_path "$command_path $word"',
    '    end',
    '  end',
    '  test "$command_path" = "$argv[1]"',
    'end',
    ...commands.flatMap(({ path, words, options }) => {
      const start = `complete -c countersign -n "__countersign_at '${path}'"`;
      return [
        ...words.map(({ word, help }) => `${start} -f -a ${word} -d ${shellQuoted(help)}`),
        ...options.map(({ long, short, help, takesValue }) => {
          const names = `${short ? `-s ${short.slice(1)} ` : ''}-l ${long.slice(2)}${takesValue ? ' -r' : ''}`;
          return `${start} ${names} -d ${shellQuoted(help)}`;
        }),
      ];
    }),
  ].join('\n');

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

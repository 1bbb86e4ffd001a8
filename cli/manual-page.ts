import type { Command } from 'commander';
import { createProgram } from './program.js';
import { cliVersion } from './version.js';

/** The help of all commands as a manual page, in the man macros of roff. */
export function manualPage(): string {
  const program = createProgram();
  const { name, description } = { name: program.name(), description: program.description() };
  return [
    `.TH COUNTERSIGN 1 "" "countersign-cli ${text(cliVersion)}" "User Commands"`,
    '.SH NAME',
    `${name} \\- ${text(description)}`,
    '.SH SYNOPSIS',
    `.B ${name}`,
    '[\\fIoptions\\fR] \\fIcommand\\fR',
    '.SH OPTIONS',
    ...options(program),
    '.SH COMMANDS',
    ...program.commands.flatMap((command) => commandSection(command, name)),
    '.SH EXIT STATUS',
    ...exitStatus.flatMap(([code, meaning]) => ['.TP', String(code), text(meaning)]),
    '.SH ENVIRONMENT',
    ...variables.flatMap(([variable, meaning]) => ['.TP', `.B ${text(variable)}`, text(meaning)]),
    '.SH FILES',
    '.TP',
    '.I ~/.config/countersign/logins.json',
    'Where you are signed in, and the tokens if there is no keyring.',
    '',
  ].join('\n');
}

function commandSection(command: Command, parent: string): string[] {
  const path = `${parent} ${command.name()}`;
  if (command.commands.length) return command.commands.flatMap((nested) => commandSection(nested, path));
  const help = command.createHelp();
  const args = command.registeredArguments;
  return [
    `.SS ${text(`${path} ${command.usage()}`)}`,
    text(`${sentence(command.description())}.`),
    ...args.flatMap((argument) => ['.TP', `.I ${text(argument.name())}`, text(help.argumentDescription(argument))]),
    ...options(command),
  ];
}

function options(command: Command): string[] {
  const help = command.createHelp();
  return help
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help' || !command.parent) // described once
    .flatMap((option) => ['.TP', `.B ${text(help.optionTerm(option))}`, text(help.optionDescription(option))]);
}

const sentence = (phrase: string): string => phrase.charAt(0).toUpperCase() + phrase.slice(1);

const exitStatus: [number, string][] = [
  [0, 'Done.'],
  [1, 'Failed for another reason.'],
  [2, 'Wrong usage or invalid input.'],
  [3, 'The difference or finding that the command looks for exists.'],
  [4, 'A policy or a person denied the call.'],
  [5, 'The call or task was executed and failed, or its outcome is unknown.'],
  [69, 'The server cannot be reached, or is of another version.'],
  [75, 'Waits for a decision.'],
  [77, 'Not signed in, or without access.'],
  [130, 'Ended by Ctrl-C.'],
];

const variables: [string, string][] = [
  ['COUNTERSIGN_URL', 'Address of the server.'],
  ['COUNTERSIGN_TOKEN', 'A token to use instead of the stored login.'],
  ['COUNTERSIGN_CONFIGURATION', 'Name or id of the configuration.'],
  ['COUNTERSIGN_TOKEN_STORE', 'With the value "file", tokens are not stored in the keyring.'],
  ['COUNTERSIGN_KEY, COUNTERSIGN_KEY_FILE', 'A tenant key, or a file that contains one, for "estate scan --upload".'],
  ['BROWSER', 'The command that opens a page.'],
  ['NO_COLOR, FORCE_COLOR', 'Turn colours off or on.'],
  ['COUNTERSIGN_DEBUG', 'Show where an unexpected error occurred.'],
  ['XDG_CONFIG_HOME', 'Contains the folder "countersign" of the stored login (default: ~/.config).'],
];

/** Without special meaning in roff. */
const text = (plain: string): string =>
  plain.replaceAll('\\', '\\e').replaceAll('-', '\\-').replace(/^[.']/gm, '\\&$&').replaceAll('"', '\\(dq');

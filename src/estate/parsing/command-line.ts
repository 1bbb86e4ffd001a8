export interface CommandLine {
  /** Without its folder and the extension of Windows programs. */
  program: string;
  args: string[];
}

/** The program and arguments of an entry. The command may contain its arguments in the same string. */
export function commandLine(command: string, args: readonly string[]): CommandLine {
  const [first, ...rest] = carriesArguments(command) ? splitCommandLine(command) : [command];
  return { program: programOf(first ?? ''), args: [...rest, ...args] };
}

/** A command with spaces is a single path if it starts like a path and does not continue like a command line. */
function carriesArguments(command: string): boolean {
  const text = command.trim();
  if (!/\s/.test(text)) return false;
  if (!/^[^\s"']*[\\/]/.test(text)) return true;
  return /^\S+\.(?:exe|cmd|bat|sh|py|js|mjs|ts)\s|^\S+\s+["']?-/i.test(text);
}

export function programOf(command: string): string {
  const name = command
    .trim()
    .replace(/^["']|["']$/g, '')
    .split(/[\\/]/)
    .at(-1)!;
  const bare = name.replace(/\.(?:exe|cmd|bat|com)$/i, '');
  return bare === name ? name : bare.toLowerCase();
}

/** Splits a line like a shell, but leaves variables and substitutions unchanged. */
export function splitCommandLine(line: string): string[] {
  const found: string[] = [];
  for (const [word] of line.matchAll(/(?:"(?:[^"\\]|\\.)*"?|'[^']*'?|\\.|[^\s"'\\])+/gs))
    found.push(
      word.replace(
        /"((?:[^"\\]|\\.)*)"?|'([^']*)'?|\\(["'\s\\])/gs,
        (_, a: string, b: string, c: string) => a ?? b ?? c,
      ),
    );
  return found;
}

const shells = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'fish', 'ash', 'powershell', 'pwsh', 'cmd']);
/** Programs that start the program in their arguments, possibly after "--". */
const starterPrograms = new Set([
  'env',
  'sudo',
  'doas',
  'nohup',
  'exec',
  'command',
  'time',
  'nice',
  'wsl',
  'xvfb-run',
  'start',
]);
const secretManagers = new Set([
  'op',
  'doppler',
  'dotenv',
  'aws-vault',
  'mise',
  'infisical',
  'chamber',
  'direnv',
  'teller',
  'dotenvx',
  'volta',
  'asdf',
  'fnm',
  'rtx',
]);

/** The command that finally runs, without shells and other wrappers. */
export function unwrapCommand(line: CommandLine, depth = 5): CommandLine {
  const inner = depth > 0 ? innerCommand(line) : null;
  return inner ? unwrapCommand(inner, depth - 1) : line;
}

function innerCommand({ program, args }: CommandLine): CommandLine | null {
  if (shells.has(program)) return commandInShell(args);
  if (secretManagers.has(program)) return commandAt(args, args.indexOf('--') + 1);
  if (!starterPrograms.has(program)) return null;
  return commandAt(
    args,
    args.findIndex((arg) => !arg.startsWith('-') && !/^[A-Za-z_]\w*=/.test(arg)),
  );
}

const commandAt = (args: readonly string[], at: number): CommandLine | null =>
  at < 0 || at >= args.length || (at === 0 && args[0] === '--') ? null : commandLine(args[at], args.slice(at + 1));

function commandInShell(args: readonly string[]): CommandLine | null {
  const at = args.findIndex((arg) => /^(?:-[a-z]*c|\/[ck]|-command)$/i.test(arg));
  if (at < 0 || at + 1 >= args.length) return null;
  const script = args.slice(at + 1);
  const line = script.length === 1 ? lastCommandOf(script[0]) : script;
  const from = line.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word) && word !== 'exec');
  return commandAt(line, from);
}

/** The last of several commands: the earlier ones prepare for it. */
function lastCommandOf(script: string): string[] {
  const commands = script
    .split(/&&|\|\||[;\n]/)
    .map(splitCommandLine)
    .filter((line) => line.length > 0);
  return commands.at(-1) ?? [];
}

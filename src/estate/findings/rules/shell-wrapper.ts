import type { ServerEntry } from '../../configuration-file.js';
import type { EntryRule, RuleMatch } from '../rule.js';
import { clippedText, quotedText } from '../quoted-text.js';

/** A line of text that a shell parses and runs. */
interface Script {
  shell: string;
  place: string;
  text: string;
  isEncoded: boolean;
}

export const shellWrapper: EntryRule = {
  id: 'shell_wrapper',
  title: 'Server started through a shell',
  why: 'The actual command is hidden in a line of text, and anything can follow the harmless beginning that a client shows. Nobody has reviewed code that is downloaded and run at each start.',
  check(entry) {
    const script = scriptOf(entry);
    return script ? [shellMatch(entry, script)] : [];
  },
};

function shellMatch({ name }: ServerEntry, script: Script): RuleMatch {
  const { shell, place } = script;
  const base = { at: place, evidence: { shell, place, script: clippedText(script.text, 300) } };
  if (script.isEncoded)
    return {
      ...base,
      severity: 'critical',
      reason: `Server ${quotedText(name)} is an encoded command for ${shell}, so nobody can see what it does.`,
      fix: 'Remove it until somebody has decoded and reviewed it. Then start the program directly with "command" and "args".',
    };
  if (fetchesAndRuns(script.text))
    return {
      ...base,
      severity: 'critical',
      reason: `Server ${quotedText(name)} downloads a program at each start and runs it with ${shell}.`,
      fix: 'Install a reviewed version of the program once, and set it as "command".',
    };
  if (isPlain(script.text))
    return {
      ...base,
      severity: 'low',
      reason: `Server ${quotedText(name)} is started through ${shell} but does not need a shell.`,
      fix: startsOnWindows(shell)
        ? 'Set the program itself as "command" (on Windows with its extension, as in "npx.cmd"), and its arguments as "args".'
        : 'Set the program itself as "command", and its arguments as "args".',
    };
  return {
    ...base,
    severity: 'medium',
    reason: `Server ${quotedText(name)} is a command line for ${shell}: ${quotedText(script.text, 120)}.`,
    fix: 'Move the command line into a script that is reviewed like other code, or start the program directly with "command" and "args".',
  };
}

const posix = /^(ba|z|da|a|k|mk|fi|c|tc|r)?sh$|^(busybox|nu)$/;
const windows = /^(cmd|powershell|pwsh)$/;
/** Programs that start the program in their arguments. */
const wrapperPrograms =
  /^(env|sudo|doas|nohup|nice|time|exec|command|setsid|stdbuf|wsl|xargs|timeout|caffeinate|start)$/;

/** A script, or the end of the words that belong to the shell, so that the search does not scan them again. */
type ScriptSearch = Script | { end: number };
type Launcher = (program: string, words: string[], at: number) => ScriptSearch;

const launcherOf = (program: string): Launcher | null =>
  posix.test(program)
    ? findPosixScript
    : windows.test(program)
      ? findWindowsScript
      : /^(npx|npm|pnpm|bunx)$/.test(program)
        ? findLauncherScript
        : null;

function scriptOf({ command, args }: ServerEntry): Script | null {
  if (command === null) return null;
  const words = [command, ...args];
  const ends = new Map<string, number>();
  // the place of the first argument is /args/0, of the command /command
  for (let index = 0; index < words.length; index++) {
    const program = programOf(words[index]);
    const launcher = launcherOf(program);
    const syntax = `${launcher?.name} ${program === 'cmd'}`;
    if (launcher && index >= (ends.get(syntax) ?? 0)) {
      const found = launcher(program, words, index);
      if (!('end' in found)) return found;
      ends.set(syntax, found.end);
    }
    // continue only if the program starts another one: "env sh -c", "docker run … sh -c"
    if (index === 0 && !wrapperPrograms.test(program) && !/^(docker|podman|nerdctl|kubectl|ssh)$/.test(program))
      return null;
  }
  return null;
}

const programOf = (word: string): string =>
  word
    .replace(/^.*[\\/]/, '')
    .toLowerCase()
    .replace(/\.(exe|cmd|bat|com)$/, '');
const placeOf = (index: number): string => (index === 0 ? '/command' : `/args/${index - 1}`);

/** "-c" may be combined with other flags: "-lc", "-ec". */
function findPosixScript(shell: string, words: string[], at: number): ScriptSearch {
  for (let index = at + 1; index < words.length; index++) {
    if (/^(-[a-z]*c|--command|--commands)$/i.test(words[index]) && words[index + 1] !== undefined)
      return { shell, place: placeOf(index + 1), text: words[index + 1], isEncoded: isDecodedAndRun(words[index + 1]) };
    const [, joined] = /^--commands?=([\s\S]*)$/.exec(words[index]) ?? [];
    if (joined !== undefined) return { shell, place: placeOf(index), text: joined, isEncoded: isDecodedAndRun(joined) };
    if (!words[index].startsWith('-') && !words[index].startsWith('+')) return { end: index };
  }
  return { end: words.length };
}

function findWindowsScript(shell: string, words: string[], at: number): ScriptSearch {
  for (let index = at + 1; index < words.length; index++) {
    const restOf = () => words.slice(index + 1).join(' ');
    const flag = words[index].toLowerCase();
    if (shell === 'cmd') {
      const [, joined] =
        /^\/[ck](.*)$/.exec(words[index].trim().replace(/^\/[CK]/, (sign) => sign.toLowerCase())) ?? [];
      if (joined !== undefined) {
        const rest = restOf();
        return { shell, place: placeOf(index), text: `${joined} ${rest}`.trim(), isEncoded: encodedPowerShell(rest) };
      }
      continue;
    }
    // PowerShell accepts any prefix of a parameter name
    if (/^[-/](e|ec|en[codeman]*)$/.test(flag))
      return { shell, place: placeOf(index), text: restOf(), isEncoded: true };
    if (/^[-/]f(i|il|ile)?$/.test(flag)) return { end: index };
    if (/^[-/]c(o[man]*d?)?$/.test(flag) || !/^[-/]/.test(flag)) {
      // a script file, or the value of the previous parameter
      if (
        !/^[-/]/.test(flag) &&
        (/\.ps1$/i.test(flag) || /^(bypass|unrestricted|remotesigned|allsigned|hidden|sta|mta)$/.test(flag))
      )
        continue;
      const text = /^[-/]/.test(flag) ? restOf() : [words[index], restOf()].join(' ').trim();
      return { shell, place: placeOf(index), text, isEncoded: isDecodedAndRun(text) };
    }
  }
  return { end: words.length };
}

/** "npx -c" also passes its text to a shell. */
function findLauncherScript(program: string, words: string[], at: number): ScriptSearch {
  for (let index = at + 1; index < words.length; index++) {
    const [, joined] = /^--call=([\s\S]*)$/.exec(words[index]) ?? [];
    const text = joined ?? (/^(-c|--call)$/.test(words[index]) ? words[index + 1] : undefined);
    if (text !== undefined) return { shell: program, place: placeOf(index), text, isEncoded: isDecodedAndRun(text) };
    // arguments after the package belong to the package
    if (!words[index].startsWith('-') && words[index] !== 'exec' && words[index] !== 'dlx') return { end: index };
  }
  return { end: words.length };
}

/*
 * A script is classified by patterns that follow each other with anything in between. One regular expression with
 * "anything" in it would take quadratic time. Instead, each pattern is searched once, after the first match of the
 * previous one.
 */

const named = String.raw`(?:(?:ba|z|da|k|fi|a)?sh|python\d*|node|perl|ruby|php|iex|invoke-expression|deno|bun|pwsh|powershell)\b`;
const pipedRunner = new RegExp(String.raw`\|\s*(?:sudo\s+)?(?:env\s+)?${named}`, 'gi');
const download = String.raw`(?:curl|wget|fetch|aria2c|iwr|irm|invoke-webrequest|invoke-restmethod|downloadstring|downloadfile|certutil|bitsadmin)\b`;
const fetcher = new RegExp(String.raw`\b${download}`, 'gi');
const substitutedFetcher = new RegExp(String.raw`^\s*(?:\$\(|\x60)\s*${download}`, 'i');
const evaluation = new RegExp(
  String.raw`\beval\b|\bsource\b|(?:^|[\s;&|])\.\s|\biex\b|invoke-expression|${named}`,
  'gi',
);
const substitution = /\(|\x60/g;
const nextCommand = /&&|;/g;
const executionPattern = new RegExp(String.raw`chmod\s+\S*x|${named}|\./`, 'gi');

/** Whether the patterns follow each other in the text. */
function areInOrder(text: string, ...patterns: RegExp[]): boolean {
  let from = 0;
  for (const pattern of patterns) {
    pattern.lastIndex = from;
    const found = pattern.exec(text);
    if (!found) return false;
    from = found.index + found[0].length;
  }
  return true;
}

const fetchesAndRuns = (text: string): boolean =>
  areInOrder(text, fetcher, pipedRunner) ||
  areInOrder(text, evaluation, substitution, fetcher) ||
  substitutedFetcher.test(text) ||
  areInOrder(text, fetcher, nextCommand, executionPattern);

const isDecodedAndRun = (text: string): boolean =>
  areInOrder(text, /\bbase64\s+(?:-d|-D|--decode)\b/g, pipedRunner) ||
  /frombase64string/i.test(text) ||
  encodedPowerShell(text);
const encodedPowerShell = (text: string): boolean =>
  areInOrder(text, /\b(?:powershell|pwsh)\b/gi, /\s[-/]e(?:c|n[codeman]*)?\s/gi);

/** The text has no characters with a meaning for a shell. */
const isPlain = (text: string): boolean =>
  !/[;&|<>`$(){}\n*?!~#%]/.test(
    text.replace(/\$\{(env:\w+|userHome|workspaceFolder(Basename)?|pathSeparator|\/)\}/g, ''),
  );
const startsOnWindows = (shell: string) => windows.test(shell);

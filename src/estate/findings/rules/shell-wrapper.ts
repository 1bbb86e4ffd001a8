import type { ServerEntry } from '../../configuration-file.js';
import type { EntryRule, RuleMatch } from '../rule.js';
import { clippedText, quotedText } from '../quoted-text.js';

/** A line of text that a shell takes apart and runs. */
interface Script {
  shell: string;
  place: string;
  text: string;
  isEncoded: boolean;
}

export const shellWrapper: EntryRule = {
  id: 'shell_wrapper',
  title: 'Server started through a shell',
  why: 'What is really run is hidden in a line of text, where anything can be added behind the harmless beginning that a client shows; what is fetched and run at each start was looked at by nobody.',
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
      reason: `Server ${quotedText(name)} is a command in encoded form, run by ${shell}: nobody sees what it does.`,
      fix: 'Take it out until somebody has decoded and understood it; then name the program and its arguments themselves.',
    };
  if (fetchesAndRuns(script.text))
    return {
      ...base,
      severity: 'critical',
      reason: `Server ${quotedText(name)} downloads a program at each start and runs it, through ${shell}.`,
      fix: 'Install the program once, in a version that was looked at, and name it as "command".',
    };
  if (isPlain(script.text))
    return {
      ...base,
      severity: 'low',
      reason: `Server ${quotedText(name)} is started through ${shell}, though nothing in it needs a shell.`,
      fix: startsOnWindows(shell)
        ? 'Name the program itself as "command" (on Windows with its ending, as in "npx.cmd"), and its arguments as "args".'
        : 'Name the program itself as "command", and its arguments as "args".',
    };
  return {
    ...base,
    severity: 'medium',
    reason: `Server ${quotedText(name)} is a line of ${shell}: ${quotedText(script.text, 120)}.`,
    fix: 'Put what the line does into a script that is reviewed like other code, or name the program and its arguments themselves.',
  };
}

const posix = /^(ba|z|da|a|k|mk|fi|c|tc|r)?sh$|^(busybox|nu)$/;
const windows = /^(cmd|powershell|pwsh)$/;
/** Programs that start the program behind them. */
const wrapperPrograms =
  /^(env|sudo|doas|nohup|nice|time|exec|command|setsid|stdbuf|wsl|xargs|timeout|caffeinate|start)$/;

/** A script; or where the words end that the shell was seen to take for itself, so that nobody looks through them again. */
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
    // further on only where something is started by something: "env sh -c", "docker run … sh -c"
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

/** "-c" may be written together with others: "-lc", "-ec". */
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
    // PowerShell takes any beginning of its parameters' names
    if (/^[-/](e|ec|en[codeman]*)$/.test(flag))
      return { shell, place: placeOf(index), text: restOf(), isEncoded: true };
    if (/^[-/]f(i|il|ile)?$/.test(flag)) return { end: index };
    if (/^[-/]c(o[man]*d?)?$/.test(flag) || !/^[-/]/.test(flag)) {
      // a script by its name, or a value of the parameter before
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

/** "npx -c" hands its text to a shell, too. */
function findLauncherScript(program: string, words: string[], at: number): ScriptSearch {
  for (let index = at + 1; index < words.length; index++) {
    const [, joined] = /^--call=([\s\S]*)$/.exec(words[index]) ?? [];
    const text = joined ?? (/^(-c|--call)$/.test(words[index]) ? words[index + 1] : undefined);
    if (text !== undefined) return { shell: program, place: placeOf(index), text, isEncoded: isDecodedAndRun(text) };
    // whatever comes behind the package is the package's
    if (!words[index].startsWith('-') && words[index] !== 'exec' && words[index] !== 'dlx') return { end: index };
  }
  return { end: words.length };
}

/*
 * What a script does is recognized by what follows what in it, with anything in between. A pattern with "anything" in it would
 * look through the rest of the script from every place where it may begin; here each is looked for once, behind the first end of
 * the one before.
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

/** Whether they follow each other in the text. */
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

/** No sign in it that means anything to a shell: the words could stand for themselves. */
const isPlain = (text: string): boolean =>
  !/[;&|<>`$(){}\n*?!~#%]/.test(
    text.replace(/\$\{(env:\w+|userHome|workspaceFolder(Basename)?|pathSeparator|\/)\}/g, ''),
  );
const startsOnWindows = (shell: string) => windows.test(shell);

import type { Package, PackageManager } from '../configuration-file.js';
import type { CommandLine } from './command-line.js';

interface LaunchedPackage {
  package: Package | null;
  /** The arguments of the package. */
  rest: string[];
}
type Launcher = (args: readonly string[]) => LaunchedPackage | null;

/** The package that a launcher would fetch, by the launcher's own argument rules. Null: it fetches none. */
export function launchedPackageOf({ program, args }: CommandLine): LaunchedPackage | null {
  // a program may have the name of a member of every object
  return Object.hasOwn(launchers, program) ? launchers[program](args) : null;
}

const npm: Launcher = (args) => packageFromArgs(args, npmOptions, npmPackage);
const subcommand =
  (words: readonly string[], launcher: Launcher): Launcher =>
  (args) =>
    words.includes(args[0] ?? '') ? launcher(args.slice(1)) : null;

const launchers: Record<string, Launcher> = {
  npx: npm,
  pnpx: npm,
  bunx: npm,
  npm: subcommand(['exec', 'x'], npm),
  pnpm: subcommand(['dlx', 'exec', 'x'], npm),
  yarn: subcommand(['dlx'], npm),
  bun: subcommand(['x'], npm),
  uvx: (args) => packageFromArgs(args, uvOptions, pythonPackage),
  uv: (args) =>
    args[0] === 'tool' && args[1] === 'run' ? packageFromArgs(args.slice(2), uvOptions, pythonPackage) : null,
  pipx: subcommand(['run'], (args) => packageFromArgs(args, uvOptions, pythonPackage)),
  docker: (args) => containerImage(args),
  podman: (args) => containerImage(args),
  nerdctl: (args) => containerImage(args),
  deno: subcommand(['run', 'x'], (args) =>
    packageFromArgs(
      args,
      { from: [], withValue: ['--config', '-c', '--import-map', '--lock', '--env-file'] },
      denoPackage,
    ),
  ),
  go: subcommand(['run'], (args) => packageFromArgs(args, { from: [], withValue: ['-C', '-mod', '-tags'] }, goPackage)),
  dnx: (args) =>
    packageFromArgs(args, { from: [], withValue: ['--source', '--configfile', '--version'] }, nugetPackage),
};

interface Options {
  /** Options that name the package. Without them, the first word is the package. */
  from: readonly string[];
  withValue: readonly string[];
}
const npmOptions: Options = {
  from: ['-p', '--package'],
  withValue: [
    '--registry',
    '--prefix',
    '--userconfig',
    '--cache',
    '-w',
    '--workspace',
    '--node-options',
    '--loglevel',
    '-C',
    '--dir',
    '--cwd',
  ],
};
const uvOptions: Options = {
  from: ['--from', '--spec'],
  withValue: [
    ...[
      '--with',
      '-w',
      '--with-editable',
      '--with-requirements',
      '--python',
      '-p',
      '--index',
      '--index-url',
      '-i',
      '--extra-index-url',
    ],
    ...[
      '--default-index',
      '--find-links',
      '-f',
      '--directory',
      '--project',
      '--env-file',
      '--cache-dir',
      '--config-file',
      '--refresh-package',
    ],
    ...[
      '--constraints',
      '-c',
      '--overrides',
      '--prerelease',
      '--resolution',
      '--exclude-newer',
      '--pip-args',
      '--suffix',
    ],
  ],
};

function packageFromArgs(
  args: readonly string[],
  { from, withValue }: Options,
  read: (spec: string) => Package | null,
): LaunchedPackage {
  let named: string | null = null;
  for (let at = 0; at < args.length; at++) {
    const [option, value] = args[at].split(/=(.*)/s);
    if (!args[at].startsWith('-') || args[at] === '-') {
      const isFirst = named === null;
      return { package: read(named ?? args[at]), rest: args.slice(isFirst ? at + 1 : at) };
    }
    if (args[at] === '--') continue;
    if (from.includes(option)) named = value ?? args[++at] ?? null;
    else if (value === undefined && withValue.includes(option)) at++;
  }
  return { package: named === null ? null : read(named), rest: [] };
}

const make = (manager: PackageManager, name: string, versionSpec: string | null, isPinned: boolean): Package | null =>
  name ? { manager, name, versionSpec: versionSpec || null, isPinned } : null;

const exact = /^[v=]*\d+\.\d+\.\d+(?:[-+.][\w.+-]+)?$/;
const commit = /^[0-9a-f]{40}$/i;
const isLocal = (spec: string) =>
  /^(?:\.{0,2}[\\/]|~|[A-Za-z]:[\\/]|file:|\.{1,2}$)|^\$\{(?:workspaceFolder|userHome)/.test(spec);

function npmPackage(spec: string): Package | null {
  if (isLocal(spec)) return null;
  const text = spec.replace(/^npm:/, '');
  if (/^(?:git|https?|ssh|github|gitlab|bitbucket|gist)[+:]|^[\w.-]+\/[\w.-]+(?:#|$)/.test(text)) {
    const [name, ref] = text.split(/#(.*)/s);
    return make('npm', name, ref ?? null, commit.test(ref ?? ''));
  }
  const at = text.indexOf('@', 1);
  const [name, version] = at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + 1)];
  return make('npm', name.toLowerCase(), version, exact.test(version ?? ''));
}

function pythonPackage(spec: string): Package | null {
  if (isLocal(spec)) return null;
  const address = /^(?:([\w.-]+)(?:\[[^\]]*\])?\s*@\s*)?((?:git\+|hg\+|svn\+)?(?:https?|ssh|git):\/\/\S+)$/.exec(spec);
  if (address) {
    const [, name, url] = address;
    const version = refOf(url);
    const digest = /#[^]*\bsha256=[0-9a-f]{64}/i.test(url.slice(Math.max(0, url.indexOf('#'))));
    return make(
      'pypi',
      name ? pythonName(name) : url.replace(/@[^/@]*$/, '').replace(/#.*/, ''),
      version,
      digest || commit.test(version ?? ''),
    );
  }
  const match = /^([\w.-]+)\s*(?:\[[^\]]*\])?\s*(.*)$/s.exec(spec);
  if (!match) return make('pypi', spec, null, false);
  const [, name, rest] = match;
  const version = rest.replace(/^(?:={2,3}|@)\s*/, '').trim();
  const isExact =
    /^(?:={2,3}|@)/.test(rest) && /^\d+(?:\.\d+)*(?:(?:a|b|rc|\.post|\.dev)\d+)*(?:\+[\w.]+)?$/.test(version);
  return make('pypi', pythonName(name), version, isExact);
}
/** The ref after the repository: a branch, a tag or a commit. */
function refOf(url: string): string | null {
  // positions of the previous two separators
  let [before, last] = [-1, -1];
  for (let at = 0; at < url.length; at++) {
    if (url[at] !== '/' && url[at] !== '@') continue;
    if (url[at] === '@') {
      if (url.endsWith('.git', at) && at + 1 < url.length && url[at + 1] !== '#')
        return url.slice(at + 1).split('#', 1)[0];
      const isBehindNames = url[last] === '/' && url[before] === '/' && last - before > 1 && at - last > 1;
      const ref = isBehindNames ? /^[^#@/]+/.exec(url.slice(at + 1)) : null;
      if (ref) return ref[0];
    }
    [before, last] = [last, at];
  }
  return null;
}

// PEP 503
const pythonName = (name: string) => name.toLowerCase().replace(/[-_.]+/g, '-');

/** Docker options without a value; all others have one. */
const dockerFlags =
  /^(?:-[ditPq]+|--(?:rm|init|interactive|tty|detach|privileged|read-only|publish-all|no-healthcheck|oom-kill-disable|sig-proxy|disable-content-trust|quiet|help))$/;

function containerImage(args: readonly string[]): LaunchedPackage | null {
  const begin = args[0] === 'container' && args[1] === 'run' ? 2 : args[0] === 'run' ? 1 : -1;
  if (begin < 0) return null;
  let at = begin;
  while (at < args.length && args[at].startsWith('-'))
    at += dockerFlags.test(args[at]) || args[at].includes('=') || /^-[evpwuhlm].+/.test(args[at]) ? 1 : 2;
  const image = args[at];
  return image ? { package: imageOf(image), rest: args.slice(at + 1) } : null;
}

function imageOf(image: string): Package | null {
  const [tagged, digest] = image.split(/@(.*)/s);
  const match = /^(.+?)(?::([\w][\w.-]*))?$/.exec(tagged);
  const name = (match?.[1] ?? tagged).replace(/^docker\.io\/(?:library\/)?/, '');
  return make('docker', name, digest ?? match?.[2] ?? null, /^sha256:[0-9a-f]{64}$/.test(digest ?? ''));
}

function denoPackage(spec: string): Package | null {
  if (spec.startsWith('npm:')) return npmPackage(spec.replace(/^npm:\/?/, ''));
  if (/\s/.test(spec)) return null;
  const match = /^(?:jsr:\/?(@[\w.-]+\/[\w.-]+)|(https?:\/\/.+?))(?:@([^/]+))?(?:\/.*)?$/.exec(spec);
  return match ? make('deno', match[1] ?? match[2], match[3] ?? null, exact.test(match[3] ?? '')) : null;
}

function goPackage(spec: string): Package | null {
  if (isLocal(spec) || !spec.includes('.')) return null;
  const [name, version] = spec.split(/@(.*)/s);
  if (version === undefined && name.endsWith('.go')) return null;
  return make('go', name, version ?? null, exact.test(version ?? ''));
}

function nugetPackage(spec: string): Package | null {
  const [name, version] = spec.split(/@(.*)/s);
  return make('nuget', name.toLowerCase(), version ?? null, exact.test(version ?? ''));
}

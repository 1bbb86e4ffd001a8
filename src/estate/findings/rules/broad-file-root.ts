import type { JsonObject } from '../../../platform/json/strict-json.js';
import type { ServerEntry } from '../../configuration-file.js';
import type { EntryRule, Severity } from '../rule.js';
import { trimTrailing } from '../../../platform/text/trim-trailing.js';
import { clippedText, quotedText } from '../quoted-text.js';

export const broadFileRoot: EntryRule = {
  id: 'broad_file_root',
  title: 'Server with access to everything',
  why: 'An assistant that is led astray by a text that it reads can read and change whatever the server may: keys, mail, other projects.',
  check: (entry) =>
    places(entry).flatMap(({ place, path }) => {
      const extent = broadFolderOf(path);
      if (!extent) return [];
      return [
        {
          at: place,
          severity: extent.severity,
          reason: `Server ${quotedText(entry.name)} is given ${extent.words} (${quotedText(path)}).`,
          evidence: { place, path: clippedText(path) },
          fix: 'Give it the one folder that it is for, as in "${workspaceFolder}", and for reading only where that is enough.',
        },
      ];
    }),
};

interface Place {
  place: string;
  path: string;
}

function places({ args, definition, command }: ServerEntry): Place[] {
  const isContainer = /^(docker|podman|nerdctl)$/.test((command ?? '').toLowerCase().replace(/\.exe$/, ''));
  const ofArgs = args.flatMap((arg, index) => {
    const place = `/args/${index}`;
    if (isContainer) return mountedFolders(arg, args[index - 1] ?? '').map((path) => ({ place, path }));
    const [, value = arg] = /^--?[\w-]+=(.*)$/s.exec(arg) ?? [];
    return value.split(/[,;]/).map((path) => ({ place, path }));
  });
  return [...ofArgs, ...rootsInEnvironment(definition)];
}

/** The folder of the device that a container is given. */
function mountedFolders(arg: string, before: string): string[] {
  const volume = /^(?:-v|--volume)=?(.*)$/s.exec(arg)?.[1] || (/^(-v|--volume)$/.test(before) ? arg : '');
  if (volume) return [/^([A-Za-z]:[\\/][^:]*|[^:]*):/.exec(volume)?.[1] ?? ''];
  const mount = /^--mount=?(.*)$/s.exec(arg)?.[1] || (before === '--mount' ? arg : '');
  const source = /(?:^|,)(?:src|source)=([^,]*)/.exec(mount)?.[1];
  return source && /type=bind/.test(mount) ? [source] : [];
}

/** Names that tell of folders to be opened; those that only tell where somebody lives are no permission. */
const opensFolder = /(ROOT|DIRS?|DIRECTOR(Y|IES)|PATHS?|FOLDERS?|WORKSPACES?|ALLOWED)/i;
const systemVariable =
  /^(PATH|HOME|USERPROFILE|HOMEPATH|PWD|PYTHONPATH|NODE_PATH|GOPATH|GOROOT|JAVA_HOME|APPDATA|LOCALAPPDATA|SYSTEMROOT|PROGRAMFILES|XDG_\w+|LD_LIBRARY_PATH|TMPDIR)$/i;

function rootsInEnvironment(definition: JsonObject): Place[] {
  const { env } = definition;
  if (typeof env !== 'object' || env === null || Array.isArray(env)) return [];
  return Object.entries(env).flatMap(([name, value]) =>
    typeof value === 'string' && opensFolder.test(name) && !systemVariable.test(name)
      ? value
          .split(/[,;]|:(?=\/|~|\$)/)
          .map((path) => ({ place: `/env/${name.replace(/~/g, '~0').replace(/\//g, '~1')}`, path }))
      : [],
  );
}

const home = String.raw`(?:~|\$HOME|\$\{HOME\}|\$\{env:HOME\}|\$\{userHome\}|%USERPROFILE%|%HOMEPATH%|\$\{env:USERPROFILE\}|\$env:USERPROFILE)`;
const extents: { pattern: RegExp; severity: Severity; words: string }[] = [
  {
    pattern: /^(\/|[A-Za-z]:|\\\\\?\\[A-Za-z]:|\$\{\/\}|\$\{pathSeparator\}|file:\/\/)$/,
    severity: 'high',
    words: 'all files of the device',
  },
  {
    pattern:
      /^(\/Users|\/home|[A-Za-z]:[\\/]Users|\/var|\/etc|\/root|\/System|\/Volumes|\/mnt|\/mnt\/[a-z]|[A-Za-z]:[\\/]Windows)$/i,
    severity: 'high',
    words: 'a folder of the whole system',
  },
  { pattern: new RegExp(`^${home}$`, 'i'), severity: 'medium', words: 'the whole home folder' },
  {
    pattern: /^(\/Users\/[^/]+|\/home\/[^/]+|[A-Za-z]:[\\/]Users[\\/][^\\/]+|\/mnt\/[a-z]\/Users\/[^/]+)$/i,
    severity: 'medium',
    words: 'a whole home folder',
  },
  {
    pattern: new RegExp(
      String.raw`^(?:${home}|/Users/[^/]+|/home/[^/]+|/root)[\\/]\.(ssh|aws|gnupg|kube|config|docker|azure)$`,
      'i',
    ),
    severity: 'high',
    words: 'a folder of keys and settings',
  },
];

function broadFolderOf(written: string) {
  const path = trimmedPath(
    written
      .trim()
      .replace(/^["']|["']$/g, '')
      .replace(/^file:\/\/(?=.)/, ''),
  );
  return path ? extents.find(({ pattern }) => pattern.test(path)) : undefined;
}

/** Also without the stars for everything below; the root stays what it is. */
function trimmedPath(path: string): string {
  const below = /[\\/]\*{1,2}[\\/]?$/.exec(path);
  const folder = below ? path.slice(0, below.index + 1) : path;
  return folder.slice(0, 1) + trimTrailing(folder.slice(1), '\\/');
}

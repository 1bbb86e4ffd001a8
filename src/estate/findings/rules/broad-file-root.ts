import type { JsonObject } from '../../../platform/json/strict-json.js';
import type { ServerEntry } from '../../configuration-file.js';
import type { EntryRule, Severity } from '../rule.js';
import { trimTrailing } from '../../../platform/text/trim-trailing.js';
import { clippedText, quotedText } from '../quoted-text.js';

export const broadFileRoot: EntryRule = {
  id: 'broad_file_root',
  title: 'Server with broad file access',
  why: 'An assistant that follows malicious text can read and change everything that the server can access: keys, mail, other projects.',
  check: (entry) =>
    places(entry).flatMap(({ place, path }) => {
      const extent = broadFolderOf(path);
      if (!extent) return [];
      return [
        {
          at: place,
          severity: extent.severity,
          reason: `Server ${quotedText(entry.name)} has access to ${extent.label} (${quotedText(path)}).`,
          evidence: { place, path: clippedText(path) },
          fix: 'Limit it to the folder that it needs, such as "${workspaceFolder}", and make the access read-only if possible.',
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

/** Folders of the device that are mounted into a container. */
function mountedFolders(arg: string, before: string): string[] {
  const volume = /^(?:-v|--volume)=?(.*)$/s.exec(arg)?.[1] || (/^(-v|--volume)$/.test(before) ? arg : '');
  if (volume) return [/^([A-Za-z]:[\\/][^:]*|[^:]*):/.exec(volume)?.[1] ?? ''];
  const mount = /^--mount=?(.*)$/s.exec(arg)?.[1] || (before === '--mount' ? arg : '');
  const source = /(?:^|,)(?:src|source)=([^,]*)/.exec(mount)?.[1];
  return source && /type=bind/.test(mount) ? [source] : [];
}

/** Names of variables that grant access to folders. Variables that only locate the home folder grant nothing. */
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
const extents: { pattern: RegExp; severity: Severity; label: string }[] = [
  {
    pattern: /^(\/|[A-Za-z]:|\\\\\?\\[A-Za-z]:|\$\{\/\}|\$\{pathSeparator\}|file:\/\/)$/,
    severity: 'high',
    label: 'all files of the device',
  },
  {
    pattern:
      /^(\/Users|\/home|[A-Za-z]:[\\/]Users|\/var|\/etc|\/root|\/System|\/Volumes|\/mnt|\/mnt\/[a-z]|[A-Za-z]:[\\/]Windows)$/i,
    severity: 'high',
    label: 'a system-wide folder',
  },
  { pattern: new RegExp(`^${home}$`, 'i'), severity: 'medium', label: 'the entire home folder' },
  {
    pattern: /^(\/Users\/[^/]+|\/home\/[^/]+|[A-Za-z]:[\\/]Users[\\/][^\\/]+|\/mnt\/[a-z]\/Users\/[^/]+)$/i,
    severity: 'medium',
    label: 'an entire home folder',
  },
  {
    pattern: new RegExp(
      String.raw`^(?:${home}|/Users/[^/]+|/home/[^/]+|/root)[\\/]\.(ssh|aws|gnupg|kube|config|docker|azure)$`,
      'i',
    ),
    severity: 'high',
    label: 'a folder with keys and settings',
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

/** Removes trailing slashes and wildcards, except for the root. */
function trimmedPath(path: string): string {
  const below = /[\\/]\*{1,2}[\\/]?$/.exec(path);
  const folder = below ? path.slice(0, below.index + 1) : path;
  return folder.slice(0, 1) + trimTrailing(folder.slice(1), '\\/');
}

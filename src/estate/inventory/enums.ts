import { registerEnumType } from '@nestjs/graphql';
import {
  authKinds as allAuthKinds,
  fileKinds as allFileKinds,
  fileStatuses as allFileStatuses,
  oddityKinds as allOddityKinds,
  packageManagers as allPackageManagers,
  fileScopeValues,
  transports as allTransports,
} from '../configuration-file.js';

const asEnum = <T extends string>(values: readonly T[]) =>
  Object.fromEntries(values.map((value) => [value, value])) as Record<T, T>;

export const TransportEnum = asEnum(allTransports);
registerEnumType(TransportEnum, {
  name: 'EstateTransport',
  description: 'How a client reaches an MCP server.',
  valuesMap: {
    stdio: { description: 'The client starts a program on the device.' },
    http: { description: 'Streamable HTTP, also where the file does not say which of the two.' },
    sse: { description: 'The older HTTP with server-sent events.' },
    unknown: { description: 'Neither a command nor an address could be made out.' },
  },
});

export const AuthKindEnum = asEnum(allAuthKinds);
registerEnumType(AuthKindEnum, {
  name: 'EstateAuthKind',
  description: 'How a remote server is told who asks.',
  valuesMap: {
    none: { description: 'Not by anything in the file; the client may sign in by itself.' },
    header: { description: 'By a header.' },
    oauth: { description: 'By an OAuth client that the file names.' },
    url: { description: 'By something inside the address.' },
  },
});

export const PackageManagerEnum = asEnum(allPackageManagers);
registerEnumType(PackageManagerEnum, { name: 'EstatePackageManager', description: 'Where a package comes from.' });

export const FileKindEnum = asEnum(allFileKinds);
registerEnumType(FileKindEnum, {
  name: 'EstateFileKind',
  valuesMap: {
    mcp_client_configuration: { description: 'Names the MCP servers of a client.' },
    instructions: {
      description: 'Rules and notes that an assistant reads; only looked at for what is hidden in them.',
    },
  },
});

export const FileScopeEnum = asEnum(fileScopeValues);
registerEnumType(FileScopeEnum, {
  name: 'EstateFileScope',
  valuesMap: {
    user: { description: 'Counts for everything that this user does on the device.' },
    project: { description: 'Lies in a project, and counts for everybody who opens it.' },
  },
});

export const FileStatusEnum = asEnum(allFileStatuses);
registerEnumType(FileStatusEnum, {
  name: 'EstateFileStatus',
  valuesMap: {
    read: { description: 'Understood as a whole.' },
    partly: { description: '"problems" names the entries that could not be understood.' },
    unreadable: { description: 'Nothing of it could be understood; "problems" says why.' },
    quarantined: {
      description:
        'Reading it ended two worker processes. It is not read again until its content changes or an administrator retries it.',
    },
  },
});

export const OddityKindEnum = asEnum(allOddityKinds);
registerEnumType(OddityKindEnum, {
  name: 'EstateOddityKind',
  description: 'Something no honest writer needs, or that two readers may understand differently.',
  valuesMap: {
    hidden_unicode: { description: 'Characters that nobody sees.' },
    mixed_script: { description: 'Letters of several scripts in one word.' },
    odd_case_path: { description: 'The path is the usual one but for upper and lower case.' },
    odd_case_key: { description: 'A key is the usual one but for upper and lower case.' },
    duplicate_name: { description: 'A server stands there twice; the last one counts.' },
    duplicate_key: { description: 'A key stands there twice; the last one counts.' },
    unknown_field: { description: 'A field that no documentation names.' },
    wrong_type: { description: 'A value of another type than documented; it was left out.' },
    both_transports: { description: 'Both a command and an address.' },
  },
});

export const SourceKindEnum = asEnum(['device', 'folder'] as const);
export type SourceKind = keyof typeof SourceKindEnum;
registerEnumType(SourceKindEnum, {
  name: 'EstateSourceKind',
  valuesMap: {
    device: { description: 'A machine that uploads what it finds.' },
    folder: { description: 'A connected folder or git checkout.' },
  },
});

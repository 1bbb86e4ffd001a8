import { registerEnumType } from '@nestjs/graphql';
import {
  authKinds as allAuthKinds,
  fileStatuses as allFileStatuses,
  oddityKinds as allOddityKinds,
  resourceKinds as allResourceKinds,
  packageManagers as allPackageManagers,
  fileScopeValues,
  transports as allTransports,
} from './configuration-file.js';

const asEnum = <T extends string>(values: readonly T[]) =>
  Object.fromEntries(values.map((value) => [value, value])) as Record<T, T>;

export const TransportEnum = asEnum(allTransports);
registerEnumType(TransportEnum, {
  name: 'EstateTransport',
  description: 'How a client reaches an MCP server.',
  valuesMap: {
    stdio: { description: 'The client starts a program on the device.' },
    http: { description: 'Streamable HTTP, also if the file does not say which HTTP transport it uses.' },
    sse: { description: 'The older HTTP transport with server-sent events.' },
    unknown: { description: 'The entry has neither a command nor an address.' },
  },
});

export const AuthKindEnum = asEnum(allAuthKinds);
registerEnumType(AuthKindEnum, {
  name: 'EstateAuthKind',
  description: 'How the client authenticates to a remote server.',
  valuesMap: {
    none: { description: 'The file contains no credentials. The client may still sign in interactively.' },
    header: { description: 'With a header.' },
    oauth: { description: 'With an OAuth client from the file.' },
    url: { description: 'With a credential in the address.' },
  },
});

export const PackageManagerEnum = asEnum(allPackageManagers);
registerEnumType(PackageManagerEnum, { name: 'EstatePackageManager', description: 'The registry of a package.' });

export const ResourceKindEnum = asEnum(allResourceKinds);
registerEnumType(ResourceKindEnum, {
  name: 'EstateResourceKind',
  description: 'The kind of a file or a declared server.',
  valuesMap: {
    mcp_client_configuration: { description: 'A file that declares the MCP servers of a client.' },
    mcp_server_deployment: { description: 'An MCP server as declared in such a file.' },
    instructions: {
      description: 'A file with rules and notes for an assistant. They are only checked for hidden characters.',
    },
  },
});

export const FileScopeEnum = asEnum(fileScopeValues);
registerEnumType(FileScopeEnum, {
  name: 'EstateFileScope',
  valuesMap: {
    user: { description: 'Applies to everything that the user does on the device.' },
    project: { description: 'Part of a project, and applies to everyone who opens it.' },
  },
});

export const FileStatusEnum = asEnum(allFileStatuses);
registerEnumType(FileStatusEnum, {
  name: 'EstateFileStatus',
  valuesMap: {
    read: { description: 'Parsed completely.' },
    partly: { description: 'Some entries could not be parsed; "problems" lists them.' },
    unreadable: { description: 'The file could not be parsed; "problems" contains the reason.' },
    quarantined: {
      description:
        'Reading it ended two worker processes. It is not read again until its content changes or an administrator retries it.',
    },
  },
});

export const OddityKindEnum = asEnum(allOddityKinds);
registerEnumType(OddityKindEnum, {
  name: 'EstateOddityKind',
  description: 'Something that legitimate files do not need, or that two parsers may read differently.',
  valuesMap: {
    hidden_unicode: { description: 'Hidden characters.' },
    mixed_script: { description: 'Letters of several scripts in one word.' },
    odd_case_path: { description: 'The path differs from the usual one only in letter case.' },
    odd_case_key: { description: 'A key differs from the usual one only in letter case.' },
    duplicate_name: { description: 'A server is declared twice; the last declaration is used.' },
    duplicate_key: { description: 'A key appears twice; the last value is used.' },
    unknown_field: { description: 'An undocumented field.' },
    wrong_type: { description: 'A value with an undocumented type; it was ignored.' },
    both_transports: { description: 'Both a command and an address.' },
  },
});

export const SourceKindEnum = asEnum(['device', 'folder'] as const);
export type SourceKind = keyof typeof SourceKindEnum;
registerEnumType(SourceKindEnum, {
  name: 'EstateSourceKind',
  valuesMap: {
    device: { description: 'A machine that uploads its configurations.' },
    folder: { description: 'A connected folder or git checkout.' },
  },
});

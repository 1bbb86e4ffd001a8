import type { JsonObject } from '../platform/json/strict-json.js';
import type { SecretType } from '../platform/secrets/secret-types.js';

/**
 * The redacted content of an AI client's configuration. Names, paths and arguments are untrusted text: nothing in them
 * is started, opened or fetched.
 */

export const transports = ['stdio', 'http', 'sse', 'unknown'] as const;
/** `unknown`: the entry has neither a command nor an address. */
export type Transport = (typeof transports)[number];

export const authKinds = ['none', 'header', 'oauth', 'url'] as const;
/**
 * How a client authenticates to a remote server: with a header, with an OAuth client of its own, or with a part of the
 * address.
 */
export type AuthKind = (typeof authKinds)[number];

export const packageManagers = ['npm', 'pypi', 'docker', 'deno', 'go', 'cargo', 'nuget'] as const;
export type PackageManager = (typeof packageManagers)[number];

/** The package that a launcher such as npx, uvx or docker would fetch and run. */
export interface Package {
  manager: PackageManager;
  name: string;
  /** As written: "1.2.3", "^2", "latest", "sha256:…"; null if absent. */
  versionSpec: string | null;
  /** The spec always resolves to the same code: an exact version, a digest, or a full commit. */
  isPinned: boolean;
}

/** A plaintext secret in a file. Its value is not stored. */
export interface SecretPlace {
  type: SecretType;
  /** JSON pointer inside the entry: "/env/API_KEY", "/args/3", "/headers/Authorization", "/url". */
  place: string;
  /** Equal for equal values in all files of the organization. Reveals nothing about the value without the key. */
  fingerprint: string;
}

export const oddityKinds = [
  'hidden_unicode',
  'mixed_script',
  'odd_case_path',
  'odd_case_key',
  'duplicate_name',
  'duplicate_key',
  'unknown_field',
  'wrong_type',
  'both_transports',
] as const;
export type OddityKind = (typeof oddityKinds)[number];

/**
 * Something that legitimate files do not need, or that two parsers may read differently. Rules decide if it is a
 * finding.
 */
export interface Oddity {
  kind: OddityKind;
  /** JSON pointer inside the entry or the file; "": the path of the file, or the whole. */
  place: string;
  /** For example "U+202E RIGHT-TO-LEFT OVERRIDE" or "mcpservers". Escaped, never the raw characters. */
  detail: string;
}

/** Why a file or a part of it could not be parsed. Never quotes the file. */
export interface ParseProblem {
  /** JSON pointer, or "" for the whole file. */
  place: string;
  reason: string;
}

/** One server that a file declares. */
export interface ServerEntry {
  name: string;
  /** The complete definition with secrets replaced; `${env:…}` is unchanged. */
  definition: JsonObject;
  /** Hex SHA-256 of the canonical definition. Equal on every machine and independent of secrets. */
  definitionHash: string;
  transport: Transport;
  /**
   * The program without its folder if the transport is stdio: "npx". A command that contains its arguments is split.
   */
  command: string | null;
  args: string[];
  package: Package | null;
  /** Only for remote servers, without credentials, query values and fragment. */
  url: string | null;
  urlScheme: string | null;
  /** In lower case, with the port if one is written. */
  host: string | null;
  authKind: AuthKind;
  envNames: string[];
  headerNames: string[];
  envFile: string | null;
  secrets: SecretPlace[];
  oddities: Oddity[];
  isDisabled: boolean;
}

export const fileKinds = ['mcp_client_configuration', 'instructions'] as const;
/** `instructions`: rules and notes for an assistant, which are only checked for hidden characters. */
export type FileKind = (typeof fileKinds)[number];

/** Everything that is discovered has one of these kinds; a deployment is a server that a file declares. */
export const resourceKinds = [...fileKinds, 'mcp_server_deployment'] as const;
export type ResourceKind = (typeof resourceKinds)[number];

export const fileScopeValues = ['user', 'project'] as const;
export type FileScope = (typeof fileScopeValues)[number];

export const fileStatuses = ['read', 'partly', 'unreadable', 'quarantined'] as const;
/** `partly`: some entries could not be read. `quarantined`: reading the file crashed two worker processes. */
export type FileStatus = (typeof fileStatuses)[number];

/** The result of parsing one file. */
export interface ParsedFile {
  kind: FileKind;
  status: FileStatus;
  problems: ParseProblem[];
  oddities: Oddity[];
  entries: ParsedEntry[];
}

/** An entry with the identity of its server, which is equal for everyone who runs the same server. */
export interface ParsedEntry extends ServerEntry {
  identity: string;
}

/** A configuration file of a client on one machine or in one repository. */
export interface ConfigurationFile {
  path: string;
  client: string;
  kind: FileKind;
  scope: FileScope;
  ownerEmail: string | null;
  status: FileStatus;
  problems: ParseProblem[];
  oddities: Oddity[];
}

import type { JsonObject } from '../platform/json/strict-json.js';

/**
 * What a configuration of an AI client says, as far as it may be known: everything here is redacted already. Names, paths and
 * arguments are text that somebody wrote, and are never more than text: nothing of it is started, opened or fetched.
 */

export const transports = ['stdio', 'http', 'sse', 'unknown'] as const;
/** `unknown`: neither a command nor an address could be made out. */
export type Transport = (typeof transports)[number];

export const authKinds = ['none', 'header', 'oauth', 'url'] as const;
/** How a remote server is told who asks: by a header, by an OAuth client of one's own, by something inside the address. */
export type AuthKind = (typeof authKinds)[number];

export const packageManagers = ['npm', 'pypi', 'docker', 'deno', 'go', 'cargo', 'nuget'] as const;
export type PackageManager = (typeof packageManagers)[number];

/** What a launcher such as npx, uvx or docker would fetch and run. */
export interface Package {
  manager: PackageManager;
  name: string;
  /** As written: "1.2.3", "^2", "latest", "sha256:…"; null where nothing is. */
  versionSpec: string | null;
  /** It is the same code tomorrow: an exact version, a digest, a whole commit. */
  isPinned: boolean;
}

export const secretTypes = [
  'anthropic_key',
  'aws_key',
  'azure_key',
  'basic_auth',
  'bearer_token',
  'connection_string',
  'countersign_token',
  'cursor_key',
  'database_password',
  'discord_token',
  'generic',
  'github_token',
  'gitlab_token',
  'google_key',
  'hugging_face_token',
  'jwt',
  'linear_key',
  'notion_token',
  'npm_token',
  'openai_key',
  'private_key',
  'pypi_token',
  'sendgrid_key',
  'sentry_token',
  'slack_token',
  'stripe_key',
  'telegram_token',
  'twilio_key',
] as const;
/** What it looks like; `generic` where only its place or its randomness tells that it is one. */
export type SecretType = (typeof secretTypes)[number];

/** A secret written out in a file. Its value was there, and is kept nowhere. */
export interface SecretPlace {
  type: SecretType;
  /** JSON pointer inside the entry: "/env/API_KEY", "/args/3", "/headers/Authorization", "/url". */
  place: string;
  /** The same for the same value, in all files of the organization; says nothing about the value to whoever lacks the key. */
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

/** Something no honest writer needs, or that two readers may understand differently. No finding yet: rules decide. */
export interface Oddity {
  kind: OddityKind;
  /** JSON pointer inside the entry or the file; "" is the path of the file or the whole. */
  place: string;
  /** What exactly: "U+202E RIGHT-TO-LEFT OVERRIDE", "mcpservers". Made visible, never the raw characters. */
  detail: string;
}

/** Why a file or a part of it could not be understood, in words. Never quotes the file. */
export interface ParseProblem {
  /** JSON pointer, or "" for the whole file. */
  place: string;
  reason: string;
}

/** One server that a file declares. */
export interface ServerEntry {
  name: string;
  /** Everything that was written, with secrets replaced; `${env:…}` stands as written. */
  definition: JsonObject;
  /** Hex SHA-256 of the canonical definition. The same on every machine, whatever the secrets are. */
  definitionHash: string;
  transport: Transport;
  /** The program, without its folder, where the transport is stdio: "npx". A command that carries its arguments is taken apart. */
  command: string | null;
  args: string[];
  package: Package | null;
  /** Of remote servers, without credentials, query values and fragment. */
  url: string | null;
  urlScheme: string | null;
  /** In lower case, with the port where one is written. */
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
/** `instructions`: rules and notes that an assistant reads; only looked at for what is hidden in them. */
export type FileKind = (typeof fileKinds)[number];

export const fileScopeValues = ['user', 'project'] as const;
export type FileScope = (typeof fileScopeValues)[number];

export const fileStatuses = ['read', 'partly', 'unreadable', 'quarantined'] as const;
/** `partly`: some entries could not be read, the others could. `quarantined`: reading it cost two worker processes their life. */
export type FileStatus = (typeof fileStatuses)[number];

/** What became of reading one file. */
export interface ParsedFile {
  kind: FileKind;
  status: FileStatus;
  problems: ParseProblem[];
  oddities: Oddity[];
  entries: ParsedEntry[];
}

/** With what tells which server it is: the same for everybody who runs the same thing. */
export interface ParsedEntry extends ServerEntry {
  identity: string;
}

/** One client's file on one machine or in one repository. */
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

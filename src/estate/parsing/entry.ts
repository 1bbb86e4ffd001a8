import type { JsonValue } from '../../platform/json/strict-json.js';
import type { AuthKind, Oddity, ParsedEntry, Transport } from '../configuration-file.js';
import { hasMark } from '../redaction/marks.js';
import { Redactor } from '../redaction/redactor.js';
import { parseServerAddress, type ServerAddress } from './server-address.js';
import { commandLine, unwrapCommand } from './command-line.js';
import { ServerDefinition } from './server-definition.js';
import { definitionHash, serverIdentityOf } from './server-identity.js';
import { launchedPackageOf } from './package.js';
import type { TreeObject } from './tree.js';

/** Programs that forward all messages to a remote server, whose address is an argument. */
const proxyPackages = new Set([
  'mcp-remote',
  'mcp-proxy',
  'supergateway',
  'mcp-remote-client',
  '@pyroprompts/mcp-stdio-to-streamable-http-adapter',
]);

/** Parses one server of a file. The result is completely redacted. */
export function readEntry(name: string, server: TreeObject, redactor: Redactor): ParsedEntry {
  const definition = new ServerDefinition(server, redactor);
  const { command, args } = startCommandOf(definition);
  const line = command === null ? null : commandLine(command, args);
  const inner = line && unwrapCommand(line);
  const launchedPackage = inner && launchedPackageOf(inner);
  const url = definition.text('url');
  const address = url === null ? null : parseServerAddress(url);
  const transport = transportOf(definition.text('type'), line !== null, url !== null);
  const isStarted = transport === 'stdio' && line !== null;
  const behindProxy =
    isStarted && launchedPackage?.package && proxyPackages.has(launchedPackage.package.name)
      ? firstAddress(launchedPackage.rest)
      : null;
  const reached = isStarted ? behindProxy : address;
  const identifying = {
    transport,
    command: isStarted ? line.program : null,
    package: isStarted ? (launchedPackage?.package ?? null) : null,
    url: reached?.url ?? null,
  };
  return {
    ...identifying,
    name,
    definition: definition.fields,
    definitionHash: definitionHash(definition.fields),
    identity: serverIdentityOf({ ...identifying, args: isStarted ? (launchedPackage?.rest ?? line.args) : [] }),
    args: isStarted ? line.args : [],
    urlScheme: reached?.scheme ?? null,
    host: reached?.host ?? null,
    authKind: authKindOf(definition, url),
    envNames: namesIn(definition.get('env')),
    headerNames: namesIn(definition.get('headers')),
    envFile: definition.text('envFile'),
    secrets: redactor.secrets,
    oddities: [...definition.oddities, ...(line && url !== null ? [bothTransportsOddity] : [])],
    isDisabled: definition.get('disabled') === true || definition.get('enabled') === false,
  };
}

const bothTransportsOddity: Oddity = {
  kind: 'both_transports',
  place: '',
  detail: 'has both a command and an address',
};

/** The command may be a list that includes its arguments. */
function startCommandOf(serverDefinition: ServerDefinition): { command: string | null; args: string[] } {
  const command = serverDefinition.get('command');
  const args = textsIn(serverDefinition.get('args'));
  if (typeof command === 'string') return { command: command.trim() || null, args };
  const [first = null, ...rest] = textsIn(command);
  return { command: first, args: [...rest, ...args] };
}

/** The declared type has priority if it is possible, then the command, because the client would run it. */
function transportOf(type: string | null, hasCommand: boolean, hasUrl: boolean): Transport {
  const declaredType = (type ?? '').toLowerCase().replace(/[^a-z]/g, '');
  if (hasUrl && declaredType === 'sse') return 'sse';
  if (hasUrl && (declaredType.includes('http') || declaredType === 'remote')) return 'http';
  if (hasCommand) return 'stdio';
  return hasUrl ? 'http' : 'unknown';
}

function authKindOf(serverDefinition: ServerDefinition, url: string | null): AuthKind {
  if (serverDefinition.get('auth')) return 'oauth';
  if (namesIn(serverDefinition.get('headers')).some((name) => /auth|token|key|cookie|secret/i.test(name)))
    return 'header';
  return url !== null && (hasMark(url) || /\/\/[^/]*@/.test(url)) ? 'url' : 'none';
}

function firstAddress(args: readonly string[]): ServerAddress | null {
  for (const arg of args) {
    const address = /^(?:https?|wss?):/i.test(arg) ? parseServerAddress(arg) : null;
    if (address) return address;
  }
  return null;
}

const textsIn = (value: JsonValue | undefined): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
const namesIn = (value: JsonValue | undefined): string[] =>
  value && typeof value === 'object' && !Array.isArray(value) ? Object.keys(value) : [];

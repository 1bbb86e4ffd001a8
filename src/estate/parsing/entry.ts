import type { JsonValue } from '../../platform/json/strict-json.js';
import type { AuthKind, Oddity, ParsedEntry, Transport } from '../parsed.js';
import { Redactor } from '../redaction/redactor.js';
import { addressOf, type Address } from './address.js';
import { commandLine, unwrapped } from './command-line.js';
import { Definition } from './definition.js';
import { definitionHash, identityOf } from './identity.js';
import { launched } from './package.js';
import type { TreeObject } from './tree.js';

/** Programs that pass everything on to a server elsewhere, whose address they are told. */
const proxies = new Set([
  'mcp-remote',
  'mcp-proxy',
  'supergateway',
  'mcp-remote-client',
  '@pyroprompts/mcp-stdio-to-streamable-http-adapter',
]);

/** One server of a file. Everything that comes out of here is redacted. */
export function readEntry(name: string, server: TreeObject, redactor: Redactor): ParsedEntry {
  const definition = new Definition(server, redactor);
  const { command, args } = started(definition);
  const line = command === null ? null : commandLine(command, args);
  const inner = line && unwrapped(line);
  const fetched = inner && launched(inner);
  const url = definition.text('url');
  const address = url === null ? null : addressOf(url);
  const transport = transportOf(definition.text('type'), line !== null, url !== null);
  const isStarted = transport === 'stdio' && line !== null;
  const behindProxy =
    isStarted && fetched?.package && proxies.has(fetched.package.name) ? firstAddress(fetched.rest) : null;
  const reached = isStarted ? behindProxy : address;
  const told = {
    transport,
    command: isStarted ? line.program : null,
    package: isStarted ? (fetched?.package ?? null) : null,
    url: reached?.url ?? null,
  };
  return {
    ...told,
    name,
    definition: definition.fields,
    definitionHash: definitionHash(definition.fields),
    identity: identityOf({ ...told, args: isStarted ? (fetched?.rest ?? line.args) : [] }),
    args: isStarted ? line.args : [],
    urlScheme: reached?.scheme ?? null,
    host: reached?.host ?? null,
    authKind: authKindOf(definition, url),
    envNames: namesIn(definition.get('env')),
    headerNames: namesIn(definition.get('headers')),
    envFile: definition.text('envFile'),
    secrets: redactor.secrets,
    oddities: [...definition.oddities, ...(line && url !== null ? [twoWays] : [])],
    isDisabled: definition.get('disabled') === true || definition.get('enabled') === false,
  };
}

const twoWays: Oddity = { kind: 'both_transports', place: '', detail: 'has both a command and an address' };

/** A command may be a list with its arguments in it. */
function started(definition: Definition): { command: string | null; args: string[] } {
  const command = definition.get('command');
  const args = textsIn(definition.get('args'));
  if (typeof command === 'string') return { command: command.trim() || null, args };
  const [first = null, ...rest] = textsIn(command);
  return { command: first, args: [...rest, ...args] };
}

/** What is said to be meant counts where it is possible, then the command: that is what would run here. */
function transportOf(type: string | null, hasCommand: boolean, hasUrl: boolean): Transport {
  const said = (type ?? '').toLowerCase().replace(/[^a-z]/g, '');
  if (hasUrl && said === 'sse') return 'sse';
  if (hasUrl && (said.includes('http') || said === 'remote')) return 'http';
  if (hasCommand) return 'stdio';
  return hasUrl ? 'http' : 'unknown';
}

function authKindOf(definition: Definition, url: string | null): AuthKind {
  if (definition.get('auth')) return 'oauth';
  if (namesIn(definition.get('headers')).some((name) => /auth|token|key|cookie|secret/i.test(name))) return 'header';
  return url !== null && /\[secret:|\[not kept\]|\/\/[^/]*@/.test(url) ? 'url' : 'none';
}

function firstAddress(args: readonly string[]): Address | null {
  for (const arg of args) {
    const address = /^(?:https?|wss?):/i.test(arg) ? addressOf(arg) : null;
    if (address) return address;
  }
  return null;
}

const textsIn = (value: JsonValue | undefined): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
const namesIn = (value: JsonValue | undefined): string[] =>
  value && typeof value === 'object' && !Array.isArray(value) ? Object.keys(value) : [];

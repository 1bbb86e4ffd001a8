import type { Tool } from '../client/wire.js';
import { CommandError } from '../command-error.js';
import { exitCodes } from '../exit-codes.js';

type InputSchema = Partial<Tool['inputSchema']>;

/**
 * The arguments as JSON. `name:=value` is JSON. `name=value` is a text, unless the schema of the tool requires something
 * else: the server converts nothing.
 */
export function argumentsText(args: readonly string[], schema: InputSchema): string {
  const members = new Map<string, string>();
  for (const arg of args) {
    const match = /^([^:=]+)(:?=)(.*)$/s.exec(arg);
    if (!match) throw invalid(`"${arg}" is not of the form name=value or name:=value.`);
    const [, name, sign, value] = match;
    if (members.has(name)) throw invalid(`"${name}" occurs twice.`);
    members.set(name, sign === ':=' ? jsonOf(name, value) : valueOf(name, value, schema));
  }
  return `{${[...members].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
}

function jsonOf(name: string, value: string): string {
  if (!isJson(value)) throw invalid(`"${name}" is not JSON. For a text, use ${name}=value.`);
  return value.trim();
}

function valueOf(name: string, value: string, { properties = {} }: InputSchema): string {
  const types = [Object.hasOwn(properties, name) ? (properties[name].type ?? 'string') : 'string'].flat();
  if (types.includes('string')) return JSON.stringify(value);
  if (!isJson(value)) throw invalid(`"${name}" has to be JSON: the tool requires ${types.join(' or ')} there.`);
  return value.trim();
}

/** The text of the value stays as it is: the server decides which numbers it accepts. */
function isJson(value: string): boolean {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

const invalid = (message: string): CommandError => new CommandError(exitCodes.usage, 'invalid-usage', message);

import type { InvalidField } from '../../platform/errors/problem.js';
import { PathPattern } from './path-pattern.js';

const defaultMaxPages = 500;
const highestMaxPages = 5000;
const defaultMaxDepth = 10;
const highestMaxDepth = 30;

export interface WebsiteSettings {
  start: URL;
  /** Path of all pages; ends with a slash. */
  root: string;
  include: readonly PathPattern[];
  exclude: readonly PathPattern[];
  maxPages: number;
  maxDepth: number;
}

export function readWebsiteSettings(settings: Record<string, unknown>): WebsiteSettings {
  const start = new URL(String(settings.url));
  start.hash = '';
  return {
    start,
    root: rootOf(start.pathname),
    include: patternsIn(settings.include),
    exclude: patternsIn(settings.exclude),
    maxPages: numberIn(settings.maxPages, defaultMaxPages),
    maxDepth: numberIn(settings.maxDepth, defaultMaxDepth),
  };
}

export function websiteSettingsFaults(settings: Record<string, unknown>): InvalidField[] {
  return [
    ...rangeFaults('maxPages', settings.maxPages, highestMaxPages),
    ...rangeFaults('maxDepth', settings.maxDepth, highestMaxDepth),
    ...patternFaults('include', settings.include),
    ...patternFaults('exclude', settings.exclude),
  ];
}

export const websiteFields = [
  {
    name: 'url',
    label: 'Start address',
    type: 'url',
    required: true,
    help: 'For example https://docs.example.com/guide/. Only pages below this address are read.',
  },
  {
    name: 'include',
    label: 'Only these paths',
    type: 'list',
    required: false,
    help: 'Patterns as in robots.txt: a path matches if it starts with the pattern; * stands for any text, $ for the end. For example /guide/en/.',
  },
  {
    name: 'exclude',
    label: 'Not these paths',
    type: 'list',
    required: false,
    help: 'Takes precedence over "Only these paths". For example /guide/archive/ or *.pdf$.',
  },
  {
    name: 'maxPages',
    label: 'Maximum number of pages',
    type: 'number',
    required: false,
    help: `At most ${highestMaxPages}. Default: ${defaultMaxPages}.`,
  },
  {
    name: 'maxDepth',
    label: 'Maximum number of links from the start address',
    type: 'number',
    required: false,
    help: `Only applies without a sitemap. At most ${highestMaxDepth}. Default: ${defaultMaxDepth}.`,
  },
  {
    name: 'authorization',
    label: 'Authorization header',
    type: 'secret',
    required: false,
    help: 'Only if the website requires it: "Bearer" with a token, or "Basic" with the encoded user name and password. Sent only to the start address’s host.',
  },
  {
    name: 'groups',
    label: 'Only for groups',
    type: 'list',
    required: false,
    help: 'Names of groups that may read these pages. Leave empty for everyone who may use a configuration with this connection.',
  },
] as const;

/** A last segment with a dot is a file, so its folder is the root. */
function rootOf(path: string): string {
  if (path.endsWith('/')) return path;
  const at = path.lastIndexOf('/');
  return path.slice(at).includes('.') ? path.slice(0, at + 1) : `${path}/`;
}

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

const patternsIn = (value: unknown): PathPattern[] => textsIn(value).map((text) => new PathPattern(text.trim()));

const isUnset = (value: unknown): boolean => value === undefined || value === null || value === '';

const numberIn = (value: unknown, defaultValue: number): number => (isUnset(value) ? defaultValue : Number(value));

function rangeFaults(name: string, value: unknown, most: number): InvalidField[] {
  if (isUnset(value)) return [];
  const number = Number(value);
  if (Number.isInteger(number) && number >= 1 && number <= most) return [];
  return [{ pointer: `/settings/${name}`, detail: `must be a whole number from 1 to ${most}` }];
}

const patternFaults = (name: string, value: unknown): InvalidField[] =>
  textsIn(value).every((text) => /^[/*]/.test(text.trim()))
    ? []
    : [{ pointer: `/settings/${name}`, detail: 'each pattern must start with "/" or "*"' }];

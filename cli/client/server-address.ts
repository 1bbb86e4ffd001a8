import { CommandError } from '../command-error.js';
import { exitCodes } from '../exit-codes.js';

/** Adds the scheme, which is http on this machine, removes slashes at the end, and refuses addresses over which anyone could read the token. */
export function serverAddress(typed: string): string {
  const url = urlOf(typed);
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new CommandError(exitCodes.usage, 'invalid-address', `"${typed}" is not the address of a server.`);
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new CommandError(
      exitCodes.usage,
      'insecure-address',
      `${url.origin} is not encrypted, so that others could read your sign-in. Use https.`,
    );
  return (url.origin + url.pathname).replace(/\/+$/, '');
}

function urlOf(typed: string): URL | null {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(typed)) return parse(typed);
  const url = parse(`https://${typed}`);
  return url && isLoopback(url.hostname) ? parse(`http://${typed}`) : url;
}

const parse = (text: string): URL | null => (URL.canParse(text) ? new URL(text) : null);

const isLoopback = (host: string): boolean => host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);

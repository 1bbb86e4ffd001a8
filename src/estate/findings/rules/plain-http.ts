import type { ServerEntry } from '../../configuration-file.js';
import type { EntryRule, RuleMatch, Severity } from '../rule.js';
import { clippedText, quotedText } from '../quoted-text.js';

/** Programs that take an address as an argument and connect to that server for clients that can only start programs. */
const bridgePrograms =
  /^(mcp-remote|supergateway|mcp-proxy|mcp-remote-go|@[\w-]+\/mcp-remote|mcp-bridge|super-gateway)$/i;

export const plainHttp: EntryRule = {
  id: 'plain_http',
  title: 'Unencrypted connection to a server',
  why: 'Anyone on the network path can read the traffic and respond in place of the server, and the assistant acts on these responses.',
  check: (entry) => plainHttpAddresses(entry).flatMap((address) => plainHttpMatches(entry, address)),
};

interface PlainHttpAddress {
  place: string;
  host: string;
}

function plainHttpAddresses({
  url,
  urlScheme,
  host,
  args,
  package: written,
  command,
}: ServerEntry): PlainHttpAddress[] {
  const isPlain = /^(http|ws):?$/i.test(urlScheme ?? '');
  const own = url !== null && isPlain ? [{ place: '/url', host: host ?? '' }] : [];
  if (!bridgePrograms.test(written?.name ?? command ?? '')) return own;
  const bridged = args.flatMap((arg, index) => {
    const [, found] = /(?:^|=)(?:http|ws):\/\/(?:[^/?#@]*@)?(\[[^\]]*\]|[^/:?#]*)/i.exec(arg) ?? [];
    return found === undefined ? [] : [{ place: `/args/${index}`, host: found.toLowerCase() }];
  });
  // the parser stores the address of a bridge as that of the server, too
  return bridged.length ? bridged : own;
}

function plainHttpMatches({ name, authKind, secrets }: ServerEntry, { place, host }: PlainHttpAddress): RuleMatch[] {
  if (isLocal(host)) return [];
  const isVariable = host === '' || host.includes('$');
  const carries = authKind !== 'none' || secrets.length > 0;
  return [
    {
      at: place,
      severity: severityOf({ host, isVariable, carries }),
      reason: `Server ${quotedText(name)} is contacted over plain http ${
        isVariable ? 'at an address from a variable' : `at ${quotedText(host)}`
      }${carries ? ', and credentials are sent unencrypted' : ''}.`,
      evidence: { place, host: isVariable ? null : clippedText(host), sendsCredentials: carries },
      fix: 'Write "https://" instead of "http://". If the server does not support it, put a TLS proxy in front of it, or run it on the device.',
    },
  ];
}

function severityOf({ host, isVariable, carries }: { host: string; isVariable: boolean; carries: boolean }): Severity {
  if (isVariable) return 'low';
  if (carries) return 'high';
  return isInternalHost(host) ? 'medium' : 'high';
}

/** Traffic to the host never leaves the device. */
function isLocal(written: string): boolean {
  const host = hostNameOf(written);
  return (
    /^(localhost|.*\.localhost|host\.docker\.internal|0\.0\.0\.0|127(\.\d{1,3}){1,3})$/.test(host) ||
    /^\[?(::1|::|0:0:0:0:0:0:0:1|::ffff:127(\.\d{1,3}){3}|::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4})\]?$/.test(host)
  );
}

/** A host in a private network; traffic can still be intercepted there. */
const isInternalHost = (written: string): boolean =>
  /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|\[f[cd]|\[fe80)/.test(hostNameOf(written)) ||
  /(^[^.]+|\.(local|internal|lan|intranet|corp|home\.arpa))$/.test(hostNameOf(written));

/** Removes the port. An IPv6 address contains colons, and is in brackets if a port follows. */
function hostNameOf(host: string): string {
  const [name, port] = host.startsWith('[') ? host.split(/(?<=\]):/, 2) : host.split(':', 2);
  const isWithPort = port !== undefined && /^\d+$/.test(port) && host.length === name.length + 1 + port.length;
  return (isWithPort ? name : host).toLowerCase().replace(/\.$/, '');
}

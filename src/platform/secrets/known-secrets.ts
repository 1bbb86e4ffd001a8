import type { SecretType } from './secret-types.js';

type Replace = (text: string, replace: (value: string) => string) => string;

/**
 * The formats of secrets by issuer. Each pattern is a fixed prefix and one run of a character class that ends the
 * match, so that matching takes linear time: a pattern that continues after a run of any length could scan that run
 * once per prefix in it. A format that needs this is a function. The first match at a place determines the type.
 */
const secretPatterns: [SecretType, string | Replace][] = [
  ['private_key', String.raw`-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?`],
  ['countersign_token', String.raw`\bcs_(?:a2a|api|mcp|ref|cli|ten|adm|ses|lnk|sec)_[\w-]{30,}`],
  ['github_token', String.raw`\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}`],
  ['gitlab_token', String.raw`\bgl(?:pat|ptt|dt|rt|soat|ft|cbt|agent|imt|ffct)-[\w.-]{18,}`],
  ['anthropic_key', String.raw`\bsk-ant-[\w-]{16,}`],
  ['openai_key', String.raw`\bsk-(?:proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_-]{20,}`],
  ['cursor_key', String.raw`\bcrsr_[A-Za-z0-9]{16,}|\bkey_[0-9a-f]{32,}`],
  [
    'slack_token',
    String.raw`\bxox[a-z]-[\w-]{8,}|\bxapp-[\w-]{10,}|hooks\.slack\.com/(?:services|workflows|triggers)/[\w/-]{8,}`,
  ],
  ['aws_key', String.raw`\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b`],
  ['google_key', String.raw`\bAIza[\w-]{30,}|\bya29\.[\w.-]{20,}|\bGOCSPX-[\w-]{20,}`],
  ['azure_key', String.raw`\b(?:AccountKey|SharedAccessKey|sig)=[\w+/%=-]{20,}`],
  ['stripe_key', String.raw`\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}|\bwhsec_[A-Za-z0-9+/=]{16,}`],
  ['npm_token', String.raw`\bnpm_[A-Za-z0-9]{30,}`],
  ['pypi_token', String.raw`\bpypi-[\w-]{40,}`],
  ['hugging_face_token', String.raw`\bhf_[A-Za-z0-9]{20,}`],
  ['sendgrid_key', String.raw`\bSG\.[\w-]{10,}\.[\w-]{10,}`],
  ['sentry_token', String.raw`\bsntry[su]_[\w=+/-]{20,}`],
  ['linear_key', String.raw`\blin_(?:api|oauth)_[A-Za-z0-9]{20,}`],
  ['notion_token', String.raw`\bntn_[A-Za-z0-9]{20,}|\bsecret_[A-Za-z0-9]{30,}`],
  ['twilio_key', String.raw`\bSK[0-9a-f]{32}\b`],
  ['telegram_token', String.raw`\b[0-9]{8,10}:[\w-]{30,}`],
  [
    'discord_token',
    String.raw`\b[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,}|discord(?:app)?\.com/api/webhooks/[\w/-]{20,}`,
  ],
  ['jwt', replaceJwts],
  // issuers without a type of their own
  [
    'generic',
    String.raw`\b(?:dapi[0-9a-f]{32}|dop_v1_[0-9a-f]{40,}|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{20,}|figd_[\w-]{20,}|PMAK-[\w-]{20,}|sbp_[0-9a-f]{30,}|tvly-[\w-]{16,}|pplx-[A-Za-z0-9]{20,}|gsk_[A-Za-z0-9]{20,}|xai-[A-Za-z0-9]{20,}|r8_[A-Za-z0-9]{20,}|fc-[0-9a-f]{30,}|dp\.(?:pt|st|ct)\.[\w.]{20,}|hvs\.[\w-]{20,}|ATATT[\w=-]{20,}|pat[A-Za-z0-9]{14}\.[0-9a-f]{40,}|rpa_[A-Z0-9]{20,}|vercel_[\w-]{20,}|apify_api_[A-Za-z0-9]{20,}|glsa_[\w]{20,}|nvapi-[\w-]{20,}|age-secret-key-1[0-9a-z]{40,})`,
  ],
];

const replacing = (type: SecretType, shape: string): Replace => {
  const pattern = new RegExp(shape, type === 'generic' ? 'gi' : 'g');
  return (text, replace) => text.replace(pattern, replace);
};

const known = secretPatterns.map(([type, shape]) => ({
  type,
  replaceIn: typeof shape === 'string' ? replacing(type, shape) : shape,
}));

/** Replaces everything that has the format of a known issuer. */
export const replaceKnownSecrets = (text: string, replace: (value: string, type: SecretType) => string): string =>
  known.reduce((kept, { type, replaceIn }) => replaceIn(kept, (value) => replace(value, type)), text);

/** JSON Web Tokens: `eyJ` at the start of a word, a dot, and at least one more part. */
function replaceJwts(text: string, replace: (value: string) => string): string {
  if (!text.includes('eyJ')) return text;
  const parts: string[] = [];
  let copied = 0;
  let next = -1;
  const runs = [...text.matchAll(/[\w-]+/g)].map(({ 0: run, index }) => ({ from: index, to: index + run.length }));
  for (let at = 0; at + 1 < runs.length; at++) {
    const isJoined = text[runs[at].to] === '.' && runs[at + 1].from === runs[at].to + 1;
    if (next < runs[at].from) next = text.indexOf('eyJ', runs[at].from);
    if (next < 0) break;
    const start = isJoined && next < runs[at].to ? startOfJwt(text, runs[at]) : -1;
    if (start < 0 || runs[at + 1].to - runs[at + 1].from < 8) continue;
    let end = runs[++at].to;
    for (let more = 0; more < 3 && text[end] === '.'; more++)
      end = runs[at + 1]?.from === end + 1 ? runs[++at].to : end + 1;
    parts.push(text.slice(copied, start), replace(text.slice(start, end)));
    copied = end;
  }
  return parts.length ? parts.join('') + text.slice(copied) : text;
}

function startOfJwt(text: string, { from, to }: { from: number; to: number }): number {
  const run = text.slice(from, to);
  for (let at = run.indexOf('eyJ'); at >= 0 && at + 11 <= run.length; at = run.indexOf('eyJ', at + 3))
    if (at === 0 || run[at - 1] === '-') return from + at;
  return -1;
}

// the prefixes of all patterns: a quick check that rules out most texts
const secretPrefixes =
  /-----BEGIN|cs_|gh[pousr]_|github_pat_|gl[a-z]{2,5}-|sk-|crsr_|key_|xox|xapp-|slack\.com|A[KSBC][IC]A|AIza|ya29|GOCSPX|AccountKey|SharedAccessKey|sig=|[srp]k_|whsec_|npm_|pypi-|hf_|SG\.|sntry|lin_|ntn_|secret_|SK[0-9a-f]|[0-9]{8}:|[MNO][\w-]{23}|discord|eyJ|dapi|dop_v1|shp|figd_|PMAK|sbp_|tvly|pplx|gsk_|xai-|r8_|fc-|dp\.|hvs\.|ATATT|pat[a-z0-9]|rpa_|vercel_|apify|glsa_|nvapi|age-secret/i;
const minSecretLength = 12;

/** Quick check whether the text may contain a secret of a known format. */
export const mayHoldSecret = (text: string): boolean => text.length >= minSecretLength && secretPrefixes.test(text);

/** The type of a value that is a secret because of its place. */
export function typeOf(value: string): SecretType | null {
  if (!mayHoldSecret(value)) return null;
  return known.find(({ replaceIn }) => replaceIn(value, () => '') !== value)?.type ?? null;
}

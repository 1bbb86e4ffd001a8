import type { SecretType } from '../parsed.js';

/**
 * What issuers make their secrets look like. Every pattern is a fixed beginning and a run of one class of characters, so that
 * matching takes time in proportion to the text. The first that matches at a place names it.
 */
const shapes: [SecretType, string][] = [
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
  ['jwt', String.raw`\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*){0,3}`],
  // makers that are told apart by nobody here
  [
    'generic',
    String.raw`\b(?:dapi[0-9a-f]{32}|dop_v1_[0-9a-f]{40,}|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{20,}|figd_[\w-]{20,}|PMAK-[\w-]{20,}|sbp_[0-9a-f]{30,}|tvly-[\w-]{16,}|pplx-[A-Za-z0-9]{20,}|gsk_[A-Za-z0-9]{20,}|xai-[A-Za-z0-9]{20,}|r8_[A-Za-z0-9]{20,}|fc-[0-9a-f]{30,}|dp\.(?:pt|st|ct)\.[\w.]{20,}|hvs\.[\w-]{20,}|ATATT[\w=-]{20,}|pat[A-Za-z0-9]{14}\.[0-9a-f]{40,}|rpa_[A-Z0-9]{20,}|vercel_[\w-]{20,}|apify_api_[A-Za-z0-9]{20,}|glsa_[\w]{20,}|nvapi-[\w-]{20,}|age-secret-key-1[0-9a-z]{40,})`,
  ],
];

export const knownSecrets: { type: SecretType; pattern: RegExp }[] = shapes.map(([type, shape]) => ({
  type,
  pattern: new RegExp(shape, type === 'generic' ? 'gi' : 'g'),
}));

// what each of them begins with: a look that spares most texts all the others
const beginnings =
  /-----BEGIN|cs_|gh[pousr]_|github_pat_|gl[a-z]{2,5}-|sk-|crsr_|key_|xox|xapp-|slack\.com|A[KSBC][IC]A|AIza|ya29|GOCSPX|AccountKey|SharedAccessKey|sig=|[srp]k_|whsec_|npm_|pypi-|hf_|SG\.|sntry|lin_|ntn_|secret_|SK[0-9a-f]|[0-9]{8}:|[MNO][\w-]{23}|discord|eyJ|dapi|dop_v1|shp|figd_|PMAK|sbp_|tvly|pplx|gsk_|xai-|r8_|fc-|dp\.|hvs\.|ATATT|pat[a-z0-9]|rpa_|vercel_|apify|glsa_|nvapi|age-secret/i;
const shortest = 12;

/** Whether it is worth looking for any of them. */
export const mayHoldSecret = (text: string): boolean => text.length >= shortest && beginnings.test(text);

/** Of a value that is known to be secret by where it stands. */
export function typeOf(value: string): SecretType | null {
  if (!mayHoldSecret(value)) return null;
  return knownSecrets.find(({ pattern }) => value.search(pattern) !== -1)?.type ?? null;
}

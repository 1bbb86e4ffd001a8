/** Longer names have no meaning, and matching them for each value would be slow. */
const maxSecretNameLength = 500;

/** Words in the names of variables, options, headers and fields that contain secrets. */
const secretWords = new Set(
  (
    'apikey apitoken token tokens secret secrets password passwd passphrase pwd pass passcode pin credential credentials creds ' +
    'auth authorization authentication bearer cookie cookies session sessionid sid jwt pat privatekey accesskey secretkey ' +
    'accesstoken authtoken clientsecret signature signing webhook dsn otp mfa hmac salt licensekey serviceaccount seed mnemonic'
  ).split(' '),
);
/** Keys that are not secret; all others are: "BRAVE_KEY", "X-Acme-Key". */
const publicKeyNames = /(?:^|_)(?:public|primary|foreign|partition|sort|cache|hot|host|known|pub)_key$/;
const secretUrlNames =
  /(?:connection_?string|conn_?str|database_?url|db_?url|redis_?url|mongo(?:db)?_?uri|postgres(?:ql)?_?(?:url|uri)|mysql_?url|amqp_?url|webhook_?url)$/;
// names with a secret word that describe metadata of the secret, such as its location or size
const metadataNames =
  /^(?:max|min|num|use|has|is)_|(?:_|^)(?:limit|count|url|uri|endpoint|path|file|dir|type|mode|method|name|id|env|var|header|scheme|length|size|ttl|expiry|timeout|enabled|disabled|budget|max|min)$/;

/** Whether the name alone marks its value as a secret: "GITHUB_TOKEN", "--api-key", "X-Auth", "clientSecret". */
export function isSecretName(name: string): boolean {
  if (name.length > maxSecretNameLength) return true;
  const words = snakeCase(name);
  if (!words) return false;
  if (secretUrlNames.test(words)) return true;
  if (metadataNames.test(words)) return false;
  return (
    words.split('_').some((word) => secretWords.has(word)) || secretWords.has(words.replaceAll('_', '')) || isKey(words)
  );
}

const isKey = (words: string) =>
  /(?:^|_)key$|(?:api|access|secret|auth|private)key$/.test(words) && !publicKeyNames.test(words);

/** Normalizes "--apiKey", "API-KEY" and "Api.Key" to "api_key". */
const snakeCase = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');

/**
 * Variables that configure the runtime. Their values are not secret, but relevant: they can make the program run other
 * code.
 */
const runtimeVariables =
  /^(?:PATH|HOME|PWD|SHELL|LANG|LC_\w+|TZ|TERM|USER|TMPDIR|TEMP|TMP|NODE_(?:ENV|OPTIONS|PATH|EXTRA_CA_CERTS|TLS_REJECT_UNAUTHORIZED|NO_WARNINGS)|NPM_CONFIG_\w+|npm_config_\w+|PYTHON\w*|PIP_\w+|UV_\w+|VIRTUAL_ENV|LD_\w+|DYLD_\w+|BASH_ENV|ENV|PERL5\w*|RUBY\w*|JAVA_\w+|GO\w*|DENO_\w+|DOCKER_\w+|GIT_SSH\w*|GIT_EXEC_PATH|EDITOR|BROWSER|PUPPETEER_\w+|PLAYWRIGHT_\w+|HTTPS?_PROXY|NO_PROXY|ALL_PROXY|https?_proxy|no_proxy|SSL_CERT_\w+|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|DEBUG|LOG_LEVEL|LOGLEVEL|RUST_LOG|NO_COLOR|FORCE_COLOR|CI|PORT|HOST)$/;
export const isRuntimeVariable = (name: string): boolean =>
  name.length <= maxSecretNameLength && runtimeVariables.test(name);

const plainHeaders =
  /^(?:accept(?:-\w+)?|content-type|user-agent|mcp-protocol-version|x-mcp-\w+|cache-control|origin|referer)$/i;
export const isPlainHeader = (name: string): boolean => name.length <= maxSecretNameLength && plainHeaders.test(name);

/** A longer one says nothing to anybody, and would be looked through for each of its values. */
const maxSecretNameLength = 500;

/** Words in names of variables, options, headers and fields whose values are secrets. */
const secretWords = new Set(
  (
    'apikey apitoken token tokens secret secrets password passwd passphrase pwd pass passcode pin credential credentials creds ' +
    'auth authorization authentication bearer cookie cookies session sessionid sid jwt pat privatekey accesskey secretkey ' +
    'accesstoken authtoken clientsecret signature signing webhook dsn otp mfa hmac salt licensekey serviceaccount seed mnemonic'
  ).split(' '),
);
/** Other keys are: "BRAVE_KEY", "X-Acme-Key". */
const publicKeyNames = /(?:^|_)(?:public|primary|foreign|partition|sort|cache|hot|host|known|pub)_key$/;
const secretUrlNames =
  /(?:connection_?string|conn_?str|database_?url|db_?url|redis_?url|mongo(?:db)?_?uri|postgres(?:ql)?_?(?:url|uri)|mysql_?url|amqp_?url|webhook_?url)$/;
// names that hold a word of the list and say where something is or how much of it, not what it is
const metadataNames =
  /^(?:max|min|num|use|has|is)_|(?:_|^)(?:limit|count|url|uri|endpoint|path|file|dir|type|mode|method|name|id|env|var|header|scheme|length|size|ttl|expiry|timeout|enabled|disabled|budget|max|min)$/;

/** Whether a value under this name is a secret by that alone: "GITHUB_TOKEN", "--api-key", "X-Auth", "clientSecret". */
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

/** "--apiKey", "API-KEY" and "X_Api.Key" as "api_key". */
const snakeCase = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');

/** Variables that steer the program itself. What they are set to is no secret, and matters: they can make it run other code. */
const runtimeVariables =
  /^(?:PATH|HOME|PWD|SHELL|LANG|LC_\w+|TZ|TERM|USER|TMPDIR|TEMP|TMP|NODE_(?:ENV|OPTIONS|PATH|EXTRA_CA_CERTS|TLS_REJECT_UNAUTHORIZED|NO_WARNINGS)|NPM_CONFIG_\w+|npm_config_\w+|PYTHON\w*|PIP_\w+|UV_\w+|VIRTUAL_ENV|LD_\w+|DYLD_\w+|BASH_ENV|ENV|PERL5\w*|RUBY\w*|JAVA_\w+|GO\w*|DENO_\w+|DOCKER_\w+|GIT_SSH\w*|GIT_EXEC_PATH|EDITOR|BROWSER|PUPPETEER_\w+|PLAYWRIGHT_\w+|HTTPS?_PROXY|NO_PROXY|ALL_PROXY|https?_proxy|no_proxy|SSL_CERT_\w+|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|DEBUG|LOG_LEVEL|LOGLEVEL|RUST_LOG|NO_COLOR|FORCE_COLOR|CI|PORT|HOST)$/;
export const isRuntimeVariable = (name: string): boolean =>
  name.length <= maxSecretNameLength && runtimeVariables.test(name);

const plainHeaders =
  /^(?:accept(?:-\w+)?|content-type|user-agent|mcp-protocol-version|x-mcp-\w+|cache-control|origin|referer)$/i;
export const isPlainHeader = (name: string): boolean => name.length <= maxSecretNameLength && plainHeaders.test(name);

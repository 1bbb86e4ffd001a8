/* Where a text such as a shell command or a file of settings gives a value to a name. */

/** "Authorization: Bearer x". The second group is the value. */
export const headerInText =
  /(\b(?:proxy-)?authorization["']?\s*[:=]\s*["']?(?:(?:bearer|basic|token|bot|apikey)\s+)?)([^\s"'\\]+)/gi;

/** "--token x", "TOKEN=x", "token: x". The groups: text before the value, name, quotation mark, value. */
export const assignmentInText =
  /((?:^|[\s"'&;|{,?(])((?:--?)?[A-Za-z_][\w.-]{0,80})["']?(?:\s*[=:]\s*|(?<=--?[\w.-]+)\s+))(["']?)(?![-=\s])([^\s"',;&|})]+)\3/g;

/** The value is only the scheme of a credential, and the credential follows. */
export const schemeAlone = /^(?:Bearer|Basic|Token|ApiKey|Digest|Bot|Negotiate)$/i;

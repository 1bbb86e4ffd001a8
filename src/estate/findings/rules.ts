import type { EntryRule, FileRule, FindingRule } from './rule.js';
import { ambiguousDefinition } from './rules/ambiguous-definition.js';
import { broadFileRoot } from './rules/broad-file-root.js';
import { declaredUnused, usedUndeclared } from './rules/declared-and-used.js';
import { definitionChangedRule } from './rules/definition-changed.js';
import { hiddenUnicode } from './rules/hidden-unicode.js';
import { notApproved } from './rules/not-approved.js';
import { oddCasePath } from './rules/odd-case-path.js';
import { outdatedClient } from './rules/outdated-client.js';
import { plainHttp } from './rules/plain-http.js';
import { plaintextSecret } from './rules/plaintext-secret.js';
import { shadowedServer } from './rules/shadowed-server.js';
import { shellWrapper } from './rules/shell-wrapper.js';
import { unpinnedPackage } from './rules/unpinned-package.js';
import { vulnerablePackage } from './rules/vulnerable-package.js';

export const entryRules: readonly EntryRule[] = [
  plaintextSecret,
  vulnerablePackage,
  unpinnedPackage,
  plainHttp,
  shellWrapper,
  broadFileRoot,
  hiddenUnicode,
  ambiguousDefinition,
];

export const fileRules: readonly FileRule[] = [hiddenUnicode, oddCasePath, ambiguousDefinition];

/** All rules, as they are listed to people. */
export const rules: readonly FindingRule[] = [
  ...entryRules,
  oddCasePath,
  notApproved,
  definitionChangedRule,
  shadowedServer,
  outdatedClient,
  usedUndeclared,
  declaredUnused,
];

import { statement } from '../../platform/database/statement.js';
import type { KeyRow } from './sealer.sql.js';

export const publishedKeys = statement<[], KeyRow>(
  `select epoch, public_key as "publicKey", endorsement from audit_keys order by epoch`,
);

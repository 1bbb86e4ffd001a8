import { statement } from '../platform/database/statement.js';

export const setSavepoint = statement('savepoint attempt');
export const rollBackToSavepoint = statement('rollback to savepoint attempt');

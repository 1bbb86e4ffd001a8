import { statement } from '../platform/database/statement.js';

export const lockTenant = statement<[id: string], { id: string }>('select id from tenants where id = $1 for update');

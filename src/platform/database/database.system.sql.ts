import { statement } from './statement.js';

export const ping = statement<[], { one: number }>('select 1 as one');

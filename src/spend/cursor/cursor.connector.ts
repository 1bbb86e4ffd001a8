import type { Connector } from '../../connections/connector-registry.service.js';
import type { CursorApi } from './cursor-api.js';
import { verifyCursor } from './verification.js';

/** Cursor, the coding assistant: who uses it how much and what it costs, and the home of the inventory of its configuration files. */
export const cursorConnector = (api: CursorApi): Connector => ({
  id: 'cursor',
  title: 'Cursor',
  about: 'Who uses the coding assistant how much, what it costs, and what it is configured to run.',
  setUp:
    'Enter a team-admin key with the scope admin:*. A team administrator makes it in Cursor’s dashboard (cursor.com/dashboard/api); the team has to be on a Business or Enterprise plan. ' +
    'A key that a person made for themselves is refused by Cursor, whatever scope the dashboard shows for it. What else such a key may do is not published by Cursor; here it is only ever used to read. ' +
    'On an Enterprise plan, Cursor also tells which MCP servers people use; without it, the connection is limited to usage and costs. ' +
    'After saving, the last 30 days are fetched, which is as far back as Cursor can be asked, and from then on every hour.',
  fields: [
    {
      name: 'apiKey',
      label: 'API key',
      type: 'secret',
      required: true,
      help: 'A team-admin key with the scope admin:*. Begins with crsr_ (older ones with key_). It belongs to the team and keeps working when the person who made it leaves.',
    },
  ],
  offers: ['spend', 'estate'],
  pullCadence: '1h',
  verify: (context) => verifyCursor(api, context),
});

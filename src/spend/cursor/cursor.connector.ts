import type { Connector } from '../../connections/connector-registry.service.js';
import type { CursorApi } from './cursor-api.js';
import { verifyCursor } from './verification.js';

/** Cursor, the coding assistant: usage and cost per person, and the inventory of its configuration files. */
export const cursorConnector = (api: CursorApi): Connector => ({
  id: 'cursor',
  title: 'Cursor',
  about: 'Usage and cost of the coding assistant per person, and its configuration.',
  setUp:
    'Enter a team-admin key with the scope admin:*. A team administrator creates it in Cursor’s dashboard (cursor.com/dashboard/api). The team must be on a Business or Enterprise plan. ' +
    'Cursor rejects personal keys, regardless of the scope in the dashboard. Cursor does not document what else a team-admin key permits; here it is only used to read. ' +
    'On an Enterprise plan, Cursor also reports which MCP servers people use. On other plans, the connection is limited to usage and costs. ' +
    'After you save, the last 30 days are synced, which is as far back as Cursor provides data. Then usage is synced every hour.',
  fields: [
    {
      name: 'apiKey',
      label: 'API key',
      type: 'secret',
      required: true,
      help: 'A team-admin key with the scope admin:*. Starts with crsr_ (older keys with key_). It belongs to the team and stays valid when its creator leaves.',
    },
  ],
  offers: ['spend', 'estate'],
  pullCadence: '1h',
  verify: (context) => verifyCursor(api, context),
});

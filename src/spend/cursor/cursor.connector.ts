import type { Connector } from '../../connections/connector-registry.service.js';
import type { CursorApi } from './cursor-api.js';
import { verifyCursor } from './verification.js';

/** Cursor, the coding assistant: usage and cost per person, and the inventory of its configuration files. */
export const cursorConnector = (api: CursorApi): Connector => ({
  id: 'cursor',
  title: 'Cursor',
  about: 'Usage and cost of the coding assistant per person, and its configuration.',
  setUp:
    'Enter a team key. A team administrator creates it in Cursor’s dashboard (cursor.com/dashboard/api). The team must be on a Business or Enterprise plan. ' +
    'Cursor’s documentation requires the scope admin:* and does not say what else it permits; here the key is only used to read. If the dashboard offers the scope Read-only, try that first: the connection test names every API that the key cannot read. ' +
    'Cursor rejects personal keys, regardless of the scope in the dashboard. ' +
    'On an Enterprise plan, Cursor also reports which MCP servers people use. A Business plan does not include that; usage and costs are synced without it. ' +
    'After you save, the last 30 days are synced, which is as far back as Cursor provides data. Then usage is synced every hour.',
  fields: [
    {
      name: 'apiKey',
      label: 'API key',
      type: 'secret',
      required: true,
      help: 'A team key with the scope Read-only if Cursor accepts it, otherwise admin:*. Starts with crsr_ (older keys with key_). It belongs to the team and stays valid when its creator leaves.',
    },
  ],
  offers: ['spend', 'estate'],
  pullCadence: '1h',
  verify: (context) => verifyCursor(api, context),
});

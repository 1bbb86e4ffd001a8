import { z } from 'zod';
import { SourcePaused } from '../../connections/connections.error.js';
import type { Connector, ConnectionContext, Verification } from '../../connections/connector-registry.service.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import { defaultNotionAddress, NotionApi, type NotionApiOptions } from './notion-api.js';
import { notionChanges, notionDocuments } from './notion-documents.js';
import { receiveNotion } from './notion-webhooks.js';
import { notionBot, notionList } from './notion-wire.js';

const defaults = { paceMs: 350, maxWaitMs: 60_000, quickWaitMs: 3000, retryDelayMs: 500 };

/** Pages and databases that are shared with an internal integration of Notion. */
export function notionConnector(timeouts: Partial<typeof defaults> = {}): Connector {
  const { quickWaitMs, ...forSync } = { ...defaults, ...timeouts };
  return {
    id: 'notion',
    title: 'Notion',
    about:
      'Pages and databases that are shared with an integration in Notion. Notion does not disclose their readers, so the connection is one audience.',
    setUp:
      'Create an internal integration in Notion under Settings, Integrations (Develop or manage integrations), with the capabilities "Read content"; ' +
      '"Read comments", to read comments; and "Read user information without email addresses", to name authors. It needs no other capability. ' +
      'Then open each top page or database to read and add the integration under "Connections" in its menu; pages below are included. ' +
      'Notion’s API does not show who can read a page. The groups that you enter here can find everything that is shared with the integration. Without ' +
      'groups, everyone who may use a configuration with this connection can. For content with different readers, create one integration in Notion and ' +
      'one connection for each.',
    fields: [
      {
        name: 'url',
        label: 'API address',
        type: 'url',
        required: false,
        help: `Leave empty for ${defaultNotionAddress}.`,
      },
      {
        name: 'token',
        label: 'Internal integration secret',
        type: 'secret',
        required: true,
        help: 'Starts with ntn_ or secret_.',
      },
      {
        name: 'webhookToken',
        label: 'Webhook verification token',
        type: 'secret',
        required: false,
        help: 'Notion sends it to the webhook address of this integration, and its Sync page shows it. Without it, webhooks are rejected.',
      },
      {
        name: 'groups',
        label: 'Only for groups',
        type: 'list',
        required: false,
        help: 'Names of groups that may read all of these pages. Leave empty for everyone who may use a configuration with this connection.',
      },
    ],
    offers: ['knowledge'],
    pullCadence: '15m',
    completeEvery: '1h',
    verify: (context) => verifyNotion(context, { ...forSync, paceMs: 0, maxWaitMs: quickWaitMs }),
    documents: (context) => notionDocuments(context, forSync),
    changes: (context) => notionChanges(context, forSync),
    receive: receiveNotion,
    webhook: {
      setUp:
        'On the page of the integration in Notion, under Webhooks, create a subscription with the events of pages, data sources and comments.',
      secretField: 'webhookToken',
    },
  };
}

async function verifyNotion(context: ConnectionContext, options: NotionApiOptions): Promise<Verification> {
  const api = new NotionApi(context, options);
  try {
    await api.get('/v1/users/me', notionBot);
    const isAnythingShared = await findsAnything(api);
    if (!isAnythingShared)
      return {
        status: 'limited',
        reason:
          'Nothing is shared with the integration. In Notion, open the menu of each page or database to read and add the integration under "Connections".',
      };
    return { status: 'connected', reason: readersOf(context.settings) };
  } catch (error) {
    if (error instanceof SourcePaused)
      return { status: 'limited', reason: `Notion’s rate limit is exhausted until ${error.until.toISOString()}.` };
    if (isSourceFault(error, 'forbidden'))
      return {
        status: 'failed',
        reason: 'The integration may not read content. Select the capability "Read content" in its settings in Notion.',
      };
    throw error;
  }
}

async function findsAnything(api: NotionApi): Promise<boolean> {
  const { results } = await api.search({ page_size: 1 }, notionList(z.unknown()));
  return results.length > 0;
}

function readersOf({ groups }: Record<string, unknown>): string {
  const isLimited = Array.isArray(groups) && groups.length > 0;
  return isLimited
    ? 'Notion does not disclose who can read a page: the members of the chosen groups find everything that is shared with the integration.'
    : 'Notion does not disclose who can read a page, and no groups are chosen: everyone who may use a configuration with this connection finds everything that is shared with the integration.';
}

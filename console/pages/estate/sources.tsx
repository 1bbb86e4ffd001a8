import { Anchor, Group, Stack, Text } from '@mantine/core';
import { IconDevices } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useMay } from '../../kit/me.tsx';
import { plusDays, today } from '../../../src/platform/time/day.ts';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { Snippet } from '../../kit/copy.tsx';
import { Empty } from '../../kit/empty.tsx';
import { count } from '../../kit/figures.ts';
import { ChoiceFilter } from '../../kit/filters.tsx';
import { type Column, Rows } from '../../kit/rows.tsx';
import { Section } from '../../kit/section.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useFilter } from '../../kit/use-filter.ts';
import { usePages } from '../../kit/use-pages.ts';
import { When } from '../../kit/when.tsx';
import { choicesOf, labelOf, oneOf, platformName } from './labels.ts';

const sourcesQuery = graphql(`
  query EstateSources($kind: EstateSourceKind, $notSeenSince: DateTime, $first: Int!, $after: String) {
    estateSources(kind: $kind, notSeenSince: $notSeenSince, first: $first, after: $after) {
      nodes {
        id
        kind
        name
        platform
        fileCount
        lastSeen
        problemCount
        failure
        owner {
          name
        }
      }
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
type Source = ResultOf<typeof sourcesQuery>['estateSources']['nodes'][number];

const kinds = ['device', 'folder'] as const;
const lastSeenChoices = [
  { value: '7', label: 'Not seen for 7 days' },
  { value: '30', label: 'Not seen for 30 days' },
];

/** Midnight some days ago: constant within a day, so that the list does not reload. */
function daysAgo(days: string | null): string | null {
  if (!lastSeenChoices.some(({ value }) => value === days)) return null;
  return `${plusDays(today(), -Number(days))}T00:00:00Z`;
}

/** Devices and folders. */
export function Component() {
  const [kind] = useFilter('kind');
  const [silent] = useFilter('silent');
  const pages = usePages({
    query: sourcesQuery,
    variables: { kind: oneOf(kinds, kind), notSeenSince: daysAgo(silent) },
    pick: ({ estateSources }) => estateSources,
    news: 'estate',
  });
  return (
    <>
      <Group mb="md" gap="xs">
        <ChoiceFilter name="kind" label="Type" data={choicesOf(kinds)} />
        <ChoiceFilter name="silent" label="Last seen" data={lastSeenChoices} />
      </Group>
      <Rows
        label="Sources"
        pages={pages}
        keyOf={({ id }) => id}
        to={({ id }) => `/estate/sources/${id}`}
        columns={columns}
        empty={
          <Empty icon={IconDevices} title={kind || silent ? 'No matching sources' : 'No devices or folders yet'}>
            Set up device uploads as described below. Connect folders and Git checkouts under “Integration settings”.
          </Empty>
        }
      />
      <DeviceSetup />
    </>
  );
}

const columns: readonly Column<Source>[] = [
  {
    label: 'Source',
    width: '36%',
    cell: ({ name, kind, platform }) => (
      <Stack gap={2}>
        <Untrusted text={name} />
        <Text size="xs" c="dimmed" fw={400}>
          {labelOf(kind)}
          {platform && (
            <>
              , <Untrusted text={platformName(platform)} />
            </>
          )}
        </Text>
      </Stack>
    ),
  },
  { label: 'Owner', cell: ({ owner }) => <Untrusted text={owner?.name ?? '–'} /> },
  { label: 'Files', isFigure: true, cell: ({ fileCount }) => count(fileCount) },
  {
    label: 'Status',
    cell: ({ failure, problemCount }) =>
      failure ? (
        <StateBadge state="failed" label="Failed" />
      ) : problemCount ? (
        <StateBadge state="limited" label={`${problemCount} unreadable`} />
      ) : (
        <StateBadge state="succeeded" label="Read" />
      ),
  },
  { label: 'Last seen', cell: ({ lastSeen }) => <When at={lastSeen} never="Never" /> },
];

function DeviceSetup() {
  const may = useMay();
  const address = location.origin;
  return (
    <div style={{ marginTop: 'var(--mantine-spacing-xl)' }}>
      <Section
        title="Device setup"
        lead="A script uploads the configuration files of AI tools. Run it daily with your device management. Secrets are replaced before storage."
      >
        <Stack>
          <Text size="sm">
            1. Create a tenant key for <b>Upload device inventory</b> under{' '}
            {may('keys:manage') ? (
              <Anchor component={Link} to="/organization/keys" inherit underline="always">
                Keys and tokens
              </Anchor>
            ) : (
              '“Keys and tokens” (requires an administrator)'
            )}
            . The key can upload but not read.
          </Text>
          <Snippet
            label="2. Run the script on each device"
            text={`COUNTERSIGN_URL=${address} COUNTERSIGN_KEY_FILE=/etc/countersign/estate.key sh estate-upload.sh`}
          />
          <Snippet
            label="Alternative: upload with curl"
            text={`curl -X POST "${address}/ingest/estate" \\
  -H "Authorization: Bearer $TENANT_KEY" -H 'Content-Type: application/json' \\
  -d '{ "device": "lap-0231", "owner": "ines@example.com", "isComplete": true,
        "files": [{ "path": "/Users/ines/.cursor/mcp.json", "content": "{ \\"mcpServers\\": {} }" }] }'`}
          />
          <Text size="sm" c="dimmed">
            The script is examples/estate-upload.sh in the distribution. It requires a shell, find, base64, and curl.
          </Text>
        </Stack>
      </Section>
    </div>
  );
}

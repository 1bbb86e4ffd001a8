import { Anchor, Group, Stack, Text } from '@mantine/core';
import { IconDevices } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useMay } from '../../app/me.tsx';
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
import { choicesOf, oneOf } from './words.ts';

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
const silences = [
  { value: '7', label: 'Not seen for a week' },
  { value: '30', label: 'Not seen for 30 days' },
];

/** Midnight so many days ago: the same all day, so that the list stays the same list. */
function daysAgo(days: string | null): string | null {
  if (!silences.some(({ value }) => value === days)) return null;
  const at = new Date(Date.now() - Number(days) * 86_400_000);
  return `${at.toISOString().slice(0, 10)}T00:00:00Z`;
}

/** Where all of it comes from. */
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
        <ChoiceFilter name="kind" label="Kind" data={choicesOf(kinds)} />
        <ChoiceFilter name="silent" label="Heard of" data={silences} />
      </Group>
      <Rows
        label="Sources"
        pages={pages}
        keyOf={({ id }) => id}
        to={({ id }) => `/estate/sources/${id}`}
        columns={columns}
        empty={
          <Empty icon={IconDevices} title={kind || silent ? 'None like that' : 'No device and no folder yet'}>
            Below stands how devices upload. Folders and git checkouts are connected under “Integration settings”.
          </Empty>
        }
      />
      <HowToUpload />
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
          {kind}
          {platform && (
            <>
              , <Untrusted text={platform} />
            </>
          )}
        </Text>
      </Stack>
    ),
  },
  { label: 'Owner', cell: ({ owner }) => <Untrusted text={owner?.name ?? '–'} /> },
  { label: 'Files', isFigure: true, cell: ({ fileCount }) => count(fileCount) },
  {
    label: 'State',
    cell: ({ failure, problemCount }) =>
      failure ? (
        <StateBadge state="failed" label="broke off" />
      ) : problemCount ? (
        <StateBadge state="limited" label={`${problemCount} not looked into`} />
      ) : (
        <StateBadge state="succeeded" label="read" />
      ),
  },
  { label: 'Last seen', cell: ({ lastSeen }) => <When at={lastSeen} never="not yet" /> },
];

function HowToUpload() {
  const may = useMay();
  const address = location.origin;
  return (
    <div style={{ marginTop: 'var(--mantine-spacing-xl)' }}>
      <Section
        title="How devices upload"
        lead="A script sends the configuration files of AI tools, once a day if your device management runs it. Secrets in them are replaced before anything is kept."
      >
        <Stack>
          <Text size="sm">
            1. Make a tenant key that may only upload{' '}
            {may('keys:manage') ? (
              <Anchor component={Link} to="/organization/keys" inherit underline="always">
                under Keys and tokens
              </Anchor>
            ) : (
              '(an administrator does, under “Keys and tokens”)'
            )}
            : scope <b>estate</b>. It can read nothing.
          </Text>
          <Snippet
            label="2. Run on each device"
            text={`COUNTERSIGN_URL=${address} COUNTERSIGN_KEY_FILE=/etc/countersign/estate.key sh estate-upload.sh`}
          />
          <Snippet
            label="Or send files yourself"
            text={`curl -X POST "${address}/ingest/estate" \\
  -H "Authorization: Bearer $TENANT_KEY" -H 'Content-Type: application/json' \\
  -d '{ "device": "lap-0231", "owner": "ines@example.com", "isComplete": true,
        "files": [{ "path": "/Users/ines/.cursor/mcp.json", "content": "{ \\"mcpServers\\": {} }" }] }'`}
          />
          <Text size="sm" c="dimmed">
            The script is examples/estate-upload.sh of the distribution; it needs a shell, find, base64 and curl.
          </Text>
        </Stack>
      </Section>
    </div>
  );
}
